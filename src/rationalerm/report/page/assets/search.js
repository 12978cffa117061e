// Search in all texts: a chunk after the other, between frames, none kept.
let searching = 0;
const rest = () => new Promise((go) => (window.requestIdleCallback ? requestIdleCallback(go, {timeout: 200}) : setTimeout(go, 0)));

function endSearch() {
  searching += 1;
}

/** Finds the pairs whose texts hold the query. `told(done, of, hits)` hears of each chunk. Resolves to false when another search took its place. */
async function searchTexts(report, query, told) {
  const mine = (searching += 1);
  const wanted = query.trim().toLowerCase();
  const hits = new Set();
  const of = report.head.rows.chunks;
  for (let k = 0; k < of; k++) {
    await rest();
    const chunk = await report.chunk(k, false);
    if (mine !== searching) return false;
    for (const [number, pair] of Object.entries(chunk.pairs)) if (holds(textsOf(pair), wanted)) hits.add(+number);
    for (const [row, game] of Object.entries(chunk.games)) if (!hits.has(report.index.pair[row]) && holds(textsOfGame(game), wanted)) hits.add(report.index.pair[row]);
    told(k + 1, of, hits);
  }
  return true;
}

const holds = (texts, wanted) => texts.some((text) => typeof text === "string" && text.toLowerCase().includes(wanted));
const textsOf = (pair) => [...(pair.messages ?? []).map((message) => message[1]), ...(pair.responses ?? []), ...(pair.human ?? [])];
const textsOfGame = (game) => [game.text, ...(game.human ?? []), ...(game.reasons ?? []), ...(game.notes ?? [])];
