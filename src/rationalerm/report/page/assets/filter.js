// Which rows are listed, and in what order. Works on the index alone; texts are searched elsewhere.
const SPURIOUS = "right verdict, wrong reasons";
const TIE = "judge's tie";
const filter = {judge: "", category: "", query: "", sort: "interest", hits: null};
const SORTS = {interest: "most telling first", recall: "recall, low first", "-recall": "recall, high first", precision: "precision, low first", file: "as in the file", id: "by id"};
const UNSCORED = {interest: "by category", file: SORTS.file, id: SORTS.id};

/** The rows that all filters leave; `category`: null to leave that filter out. */
function kept(report, scope, category = filter.category) {
  const {index, head} = report;
  const judge = filter.judge === "" ? null : head.judges.findIndex((one) => one.name === filter.judge);
  const domain = scope === "" ? null : head.domains.indexOf(scope);
  const query = filter.query.trim().toLowerCase();
  report.titles ??= index.title.map((title) => line(title).toLowerCase());
  const rows = [];
  for (let row = 0; row < index.id.length; row++) {
    if (judge !== null && index.judge[row] !== judge) continue;
    if (domain !== null && index.domain[row] !== domain) continue;
    if (category && index.category[row] !== category) continue;
    if (query && !report.titles[index.pair[row]].includes(query) && !String(index.id[row]).toLowerCase().includes(query) && !filter.hits?.has(index.pair[row])) continue;
    rows.push(row);
  }
  return rows;
}

const filtered = (report, scope) => kept(report, scope).sort(ordered(report));

function ordered({index, head}) {
  const rank = new Map(head.categories.map((name, k) => [name, k]));
  const by = (name, down) => (a, b) => compared(index[name][a], index[name][b], down) || a - b;
  if (filter.sort === "recall" || filter.sort === "-recall") return by("recall", filter.sort === "-recall");
  if (filter.sort === "precision") return by("precision", false);
  if (filter.sort === "id") {
    const collator = new Intl.Collator("en", {numeric: true});
    return (a, b) => collator.compare(index.id[a], index.id[b]) || a - b;
  }
  if (filter.sort === "file") return (a, b) => a - b;
  const place = (row) => rank.get(index.category[row]) ?? rank.size;
  return (a, b) => place(a) - place(b) || by("recall", false)(a, b);
}

/** How often each category comes, by the other filters, in the head's order. */
function categories(report, scope) {
  const counts = new Map();
  for (const row of kept(report, scope, null)) counts.set(report.index.category[row], (counts.get(report.index.category[row]) ?? 0) + 1);
  const known_ = report.head.categories.filter((name) => counts.has(name));
  return [...known_, ...[...counts.keys()].filter((name) => !known_.includes(name))].map((name) => [name, counts.get(name)]);
}

/** How a category is coloured; words say the same. */
function tone(category) {
  if (category === SPURIOUS) return "warn";
  if (category.startsWith("right verdict, shared")) return "good";
  return category.startsWith("wrong verdict, shared") ? "mixed" : "bad";
}
