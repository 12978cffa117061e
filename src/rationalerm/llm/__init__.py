"""Chat over HTTP, for any OpenAI-compatible server. Knows nothing of judging.

settings   all that a run is told, and opening a client from it
client     a question in, an outcome out; cache and re-asking between        question   what is asked, what comes back
sender     one answer, however many attempts: the only retries              wire       one HTTP exchange
gate, pace, meter   adaptive concurrency; requests and tokens a minute; usage, cost, budget
endpoint, network   where to; proxies and certificates                       cache      answers that were paid for
faults, reply, dialect   what servers answer, and what they take             loop       asking from sync code
sweep      many pieces of work, so many at once
"""
