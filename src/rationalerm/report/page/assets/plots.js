// What the plots share: drawing again when their width changes, axes that fit the data, the text under them.
const drawn = new Map();
const watcher = new ResizeObserver((entries) => {
  for (const {target} of entries) {
    const one = drawn.get(target);
    if (one && target.clientWidth && Math.abs(one.width - target.clientWidth) > 1) paint(target, one);
  }
});

/** Draws `make(width)`, a node, into an element, and again on another width; `after(node, width)` once it stands there. */
function plotted(element, make, after = () => {}) {
  const one = {make, after, width: 0};
  drawn.set(element, one);
  watcher.observe(element);
  if (element.clientWidth) paint(element, one);
}

function paint(element, one) {
  one.width = element.clientWidth;
  const node = one.make(Math.max(320, one.width));
  node.setAttribute("role", "img"); // one picture with one label; its parts have none of their own
  for (const part of node.querySelectorAll("[aria-label]")) {
    part.classList.add(`part-${part.getAttribute("aria-label").replace(/\W+/g, "-")}`);
    part.removeAttribute("aria-label");
  }
  element.replaceChildren(node);
  one.after(node, one.width);
}

/** The range that holds all values with some air, inside [low, high]; from `low` where the values come near it. */
function fitted(values, low = 0, high = 1) {
  const all = values.filter(known);
  if (!all.length) return [low, high];
  let [from, to] = [Math.min(...all), Math.max(...all)];
  const air = Math.max(0.07 * (to - from), 0.02 * (high - low));
  from -= air;
  to += air;
  if (from < low + 0.12 * (to - low)) from = low;
  return [Math.max(low, from), Math.min(high, to)];
}

/** Numbers at ticks with as many places as tell them apart. */
const places = ([from, to], ticks = 7) => (v) => num(v, (to - from) / ticks < 0.012 ? 3 : 2);

const FONT = {fontSize: "12px"};
const judgeTitle = (judge, figures) =>
  `${line(judge.name)}\nOA ${withRange(figures.oa)}\nRC ${withRange(figures.rc)}\n${many(figures.n, "row")}`;

/** A table under a plot that says the same in text. */
function asTable(summary, table) {
  return h("details", {class: "as-table"}, h("summary", {}, summary), table);
}

function key(entries) {
  return h("p", {class: "key"}, entries.map(([colour, text]) => h("span", {}, h("span", {class: "swatch", style: `background:${colour}`}), text)));
}

/** Marks with their judges' names, for a legend of plots that name none. */
function judgeKey(report, judges) {
  return h("p", {class: "key"}, judges.map((judge) => who(judge, report.head.judges[judge].name)));
}

/** A name short enough for a plot; the middle goes, for names differ at both ends. */
function brief(name, most = 30) {
  const text = [...line(name)];
  return text.length <= most ? text.join("") : [...text.slice(0, Math.ceil(most / 2) - 1), "…", ...text.slice(-Math.floor(most / 2))].join("");
}
