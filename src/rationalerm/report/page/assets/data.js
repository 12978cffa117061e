// The data blocks of the page: base64 of gzip of JSON. Chunks of rows are decoded when a row asks for one, a few are kept.
const KEPT = 6;

class Report {
  static async from(doc) {
    const made = new Report();
    made.doc = doc;
    made.head = await unpacked(doc, "head");
    made.cache = new Map();
    return made;
  }

  /** Reads the index; rows are numbers from here on. */
  async open() {
    const index = (this.index = await unpacked(this.doc, "index"));
    index.category = index.category.map((name) => (typeof name === "number" ? this.head.categories[name] : name)); // numbers stand for the head's names
    this.games = new Map();
    index.pair.forEach((pair, row) => (this.games.has(pair) ? this.games.get(pair).push(row) : this.games.set(pair, [row])));
    return this;
  }

  /** Chunk k, `{pairs, games}`. Waits for it while the browser still reads the file. */
  chunk(k, keep = true) {
    if (this.cache.has(k)) {
      const found = this.cache.get(k);
      this.cache.delete(k);
      this.cache.set(k, found);
      return found;
    }
    const coming = unpacked(this.doc, `chunk-${k}`);
    performance.mark(`chunk ${k}`);
    if (keep) {
      this.cache.set(k, coming);
      coming.catch(() => this.cache.delete(k));
      if (this.cache.size > KEPT) this.cache.delete(this.cache.keys().next().value);
    }
    return coming;
  }

  /** The texts of a row's pair and game. */
  async row(row) {
    const pair = this.index.pair[row], k = this.index.chunk[pair];
    const chunk = k < this.head.rows.chunks ? await this.chunk(k) : {pairs: {}, games: {}};
    return {pair: chunk.pairs[pair] ?? {}, game: chunk.games[row] ?? {}};
  }

  find(id, judge, order) {
    const {index, head} = this;
    const wanted = judge === null ? -1 : head.judges.findIndex((one) => one.name === judge);
    let best = -1;
    for (let row = 0; row < index.id.length; row++) {
      if (index.id[row] !== id || (judge !== null && index.judge[row] !== wanted)) continue;
      if (order === null || index.order[row] === order) return row;
      if (best < 0) best = row;
    }
    return best;
  }
}

async function unpacked(doc, id) {
  const block = await found(doc, id);
  const bytes = Uint8Array.fromBase64 ? Uint8Array.fromBase64(block.textContent) : Uint8Array.from(atob(block.textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** The block, once the browser has read past it. */
async function found(doc, id) {
  for (;;) {
    const whole = doc !== document || document.readyState !== "loading";
    const block = doc.getElementById(id);
    if (block && (whole || block.nextElementSibling)) return block;
    if (whole) throw new Error(`the file ends before its block ${id}: it was cut off; make the report again`);
    await new Promise((go) => setTimeout(go, 30));
  }
}
