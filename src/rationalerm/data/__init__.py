"""Files in, `Pair`s out: one format or data set a file. Knows nothing of parsing a judge's text, of models or of metrics.

jsonl       bytes -> rows: .jsonl, .json list, .gz, .zst, stdin; encodings, pointers, bad rows
listfile    a JSON list, cut at its commas         streams     peeking, zstd
labels      every rule about a side or a verdict given as a value
fields      every rule about a field of a row: names in any case, lists of reasons, conversations
released    rows of the released data set, and any JSONL by field names
helpsteer3  HelpSteer3's preference and feedback configs: prose to rough atoms
results     results files of the released inference script
pairs       the front door: which of these a row is
candidates  two files of responses -> pairs
texts       the prose of a row that can be taken apart: feedback, any field, judges' answers
prose       prose -> sentences
sides       Response 1 <-> Response 2 in a text
log         JSON lines files that grow: append, sync, repair, settle       names   a file name for any model id
rundir      the run directory: one writer, one configuration              spool   stdin, to be read twice
"""
