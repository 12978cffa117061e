// Elements. Nothing here (or anywhere in the page) reads HTML out of a string.
const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);

/** An element: attributes by name, handlers as functions (`onclick`), children as nodes or texts. */
function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, set] of Object.entries(attributes)) {
    if (set === null || set === undefined || set === false) continue;
    if (typeof set === "function") made.addEventListener(name.slice(2), set);
    else if (name === "style") made.style.cssText = set;
    else made.setAttribute(name, set === true ? "" : set);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** Text of unknown origin in an element of its own, with its own direction. */
function judged(tag, attributes, text) {
  const made = h(tag, {dir: "auto", ...attributes});
  const whole = String(text);
  const end = /[\ud800-\udbff]/.test(whole[LONG - 1] ?? "") ? LONG - 1 : LONG; // not in the middle of a sign
  made.append(nodes(whole.slice(0, end)));
  if (whole.length > end) {
    const more = h("button", {type: "button", class: "more", onclick: () => more.replaceWith(nodes(whole.slice(end)))}, `Show the other ${count(whole.length - end)} characters`);
    made.append("\n", more);
  }
  return made;
}

const COLOURS = 7;
const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross"];
/** A judge's colour and symbol: no two of 49 judges share both, so the symbol alone tells neighbours apart. */
const colourOf = (judge) => `var(--j${judge % COLOURS})`;
const symbolOf = (judge) => SYMBOLS[(judge + Math.floor(judge / COLOURS)) % SYMBOLS.length];
/** How far a mark of the plots reaches from its middle, pixels. */
const REACH = {circle: 6.6, square: 6.6, triangle: 9.9, diamond: 10.5, star: 10.5, wye: 9.2, cross: 7.8};
const reachOf = (judge) => REACH[symbolOf(judge)];
const SHAPES = {circle: "symbolCircle", square: "symbolSquare", triangle: "symbolTriangle", diamond: "symbolDiamond", star: "symbolStar", wye: "symbolWye", cross: "symbolCross"};

/** A judge's mark, as beside its name in tables: made once, copied. */
function mark(judge) {
  if (!marks.has(judge)) marks.set(judge, svg("svg", {viewBox: "-8 -8 16 16", "aria-hidden": "true", focusable: "false"},
    svg("path", {d: d3.symbol(d3[SHAPES[symbolOf(judge)]], 74)(), style: `fill:${colourOf(judge)}`})));
  return marks.get(judge).cloneNode(true);
}
const marks = new Map();

function who(judge, name) {
  return h("span", {class: "who"}, mark(judge), h("bdi", {}, h("span", {}, line(name))));
}

/** A sortable table: each header a button with its explanation, each cell `{text, sort, node, class}`. */
function sortable(caption, columns, rows, by = null, down = true) {
  const body = h("tbody");
  const heads = columns.map((column, k) => {
    const id = `tip-${++sortable.made}`;
    const tip = column.tip ? h("span", {class: "tip", role: "tooltip", id}, column.tip) : null;
    const button = h("button", {type: "button", "aria-describedby": tip ? id : null, onclick: () => sort(k)}, column.name);
    if (tip) explained(button, tip);
    return h("th", {scope: "col", class: column.text ? "text" : null}, button, tip);
  });
  let now = {k: by, down};
  const fill = () => {
    heads.forEach((head, k) => (k === now.k ? head.setAttribute("aria-sort", now.down ? "descending" : "ascending") : head.removeAttribute("aria-sort")));
    const order = now.k === null ? rows : [...rows].sort((a, b) => compared(a.cells[now.k].sort, b.cells[now.k].sort, now.down));
    body.replaceChildren(...order.map((row) => h("tr", {class: row.class}, row.cells.map((cell, k) =>
      h(k ? "td" : "th", {scope: k ? null : "row", class: [cell.class, columns[k].text ? "text" : ""].join(" ").trim() || null, title: cell.title}, cell.node ? cell.node() : cell.text)))));
  };
  const sort = (k) => {
    now = {k, down: now.k === k ? !now.down : !columns[k].text && k > 0};
    fill();
  };
  fill();
  return h("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": caption},
    h("table", {}, h("caption", {class: "sr"}, caption), h("thead", {}, h("tr", {}, heads)), body));
}
sortable.made = 0;

/** Undefined values come last in either direction. */
function compared(a, b, down) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "string" ? a.localeCompare(b) : a - b;
  return down ? -order : order;
}

const cell = (v, extra = {}) => ({sort: value(v), node: () => spanned(v), ...extra});
function spanned(v) {
  const made = document.createDocumentFragment();
  made.append(num(value(v)));
  if (range(v)) made.append(h("span", {class: "int"}, range(v)));
  return made;
}

/** Shows a tip under its button while it is pointed at or has the keyboard; Escape hides it. */
function explained(button, tip) {
  const show = () => {
    const box = button.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - 256))}px`;
    tip.style.top = `${box.bottom + 4}px`;
    tip.classList.add("on");
  };
  const hide = () => tip.classList.remove("on");
  for (const [event, act] of [["mouseenter", show], ["focus", show], ["mouseleave", hide], ["blur", hide]]) button.addEventListener(event, act);
  button.addEventListener("keydown", (event) => event.key === "Escape" && hide());
}
