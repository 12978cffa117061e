// The list of rows: only those in sight are in the page, so its length does not matter.
const ROW = 60;
const SPARE = 6;

class RowList {
  constructor(report, {opened, moved}) {
    this.report = report;
    Object.assign(this, {opened, moved, rows: [], at: -1, nodes: new Map()});
    this.pad = h("div", {class: "pad", role: "none"});
    this.element = h("div", {class: "list", role: "listbox", tabindex: "0", "aria-label": "Rows", onscroll: () => this.later(), onkeydown: (event) => this.key(event), onclick: (event) => this.click(event)}, this.pad);
    new ResizeObserver(() => this.later()).observe(this.element);
  }

  show(rows, row = null) {
    this.rows = rows;
    this.pad.style.height = `${rows.length * ROW}px`;
    this.pad.replaceChildren();
    this.nodes.clear();
    this.at = row === null ? -1 : rows.indexOf(row);
    this.render();
    if (this.at >= 0) this.reveal();
  }

  later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.render();
    });
  }

  render() {
    const {scrollTop, clientHeight} = this.element;
    const from = Math.max(0, Math.floor(scrollTop / ROW) - SPARE), to = Math.min(this.rows.length, Math.ceil((scrollTop + clientHeight) / ROW) + SPARE);
    for (const [k, node] of this.nodes) if (k < from || k >= to) { node.remove(); this.nodes.delete(k); }
    for (let k = from; k < to; k++) {
      if (this.nodes.has(k)) continue;
      const node = rowItem(this.report, this.rows[k], k, this.rows.length);
      this.nodes.set(k, node);
      this.pad.append(node);
    }
    for (const [k, node] of this.nodes) node.setAttribute("aria-selected", k === this.at);
    if (this.nodes.has(this.at)) this.element.setAttribute("aria-activedescendant", this.nodes.get(this.at).id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  /** Moves the selection to a place, or as near as there is one. */
  select(at) {
    if (!this.rows.length) return;
    this.at = Math.max(0, Math.min(this.rows.length - 1, at));
    this.reveal();
    this.render();
    this.moved(this.rows[this.at]);
  }

  reveal() {
    const top = this.at * ROW, {scrollTop, clientHeight} = this.element;
    if (top < scrollTop - clientHeight || top > scrollTop + 2 * clientHeight) this.element.scrollTop = top - clientHeight / 3;
    else if (top < scrollTop) this.element.scrollTop = top - ROW / 2;
    else if (top + ROW > scrollTop + clientHeight) this.element.scrollTop = top + 1.5 * ROW - clientHeight;
    this.render();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const to = {ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page, Home: 0, End: this.rows.length - 1}[event.key];
    if (to !== undefined) this.select(to);
    else if ((event.key === "Enter" || event.key === " ") && this.at >= 0) this.opened(this.rows[this.at], true);
    else return;
    event.preventDefault();
  }

  click(event) {
    const node = event.target.closest("[role=option]");
    if (!node) return;
    this.at = +node.dataset.at;
    this.render();
    this.opened(this.rows[this.at], false);
  }
}

function rowItem({index, head}, row, at, of) {
  const judge = index.judge[row];
  const words = line(index.title[index.pair[row]] ?? "");
  return h("div", {role: "option", id: `row-${row}`, "data-at": at, "aria-posinset": at + 1, "aria-setsize": of, style: `top:${at * ROW}px`, title: index.category[row]},
    h("div", {class: "line"}, h("bdi", {class: "title", dir: "auto"}, words || line(index.id[row]))),
    h("div", {class: "line sub"}, who(judge, brief(head.judges[judge].name, 24)), h("span", {}, verdictSign(index, row)), h("span", {class: "grow"}, head.scored ? recallSaid(index, row) : ""),
      head.both ? h("span", {}, ORDERS[index.order[row]]) : "", words ? h("bdi", {class: "id"}, line(index.id[row])) : ""));
}

function verdictSign(index, row) {
  const [verdict, label] = [index.verdict[row], index.label[row]];
  if (!known(verdict)) return h("span", {class: "yn bad"}, "no verdict");
  if (!label) return h("span", {class: "yn bad"}, verdictWord(verdict));
  if (index.category[row] === TIE) return h("span", {class: "yn bad"}, "= tie");
  return Math.sign(verdict) === label ? h("span", {class: "yn good"}, "✓ right") : h("span", {class: "yn bad"}, "✗ wrong");
}

function recallSaid(index, row) {
  const recall = index.recall[row];
  if (!known(recall)) return h("span", {}, "not scored");
  return h("span", {class: index.category[row] === SPURIOUS ? "yn warn" : null}, `recall ${num(recall)}`);
}
