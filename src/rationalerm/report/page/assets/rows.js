// The rows: filters, list and the open row kept together.
class Rows {
  constructor(report, scope, rescope) {
    Object.assign(this, {report, scope, rescope, open: null, turn: 0});
    report.head.both = new Set(report.index.order).size > 1;
    report.head.scored = report.index.recall.some(known);
    this.list = new RowList(report, {opened: (row, focus) => this.show(row, {push: true, focus}), moved: (row) => this.follow(row)});
    this.detail = h("div", {class: "detail", tabindex: "0", role: "group", "aria-label": "The open row"});
    this.said = h("p", {class: "count", role: "status"});
    this.controls = this.makeControls();
    this.explorer = h("div", {class: "explorer"}, this.list.element, this.detail);
    const why = report.head.rows.texts === false && report.head.rows.why_no_texts;
    $("rows-body").replaceChildren(why ? h("p", {class: "note"}, line(why)) : "", this.controls, this.said, this.explorer);
    this.refresh();
    this.nothing();
  }

  makeControls() {
    const {head} = this.report;
    const pick = (label, name, options, set) => {
      const made = h("select", {id: `filter-${name}`, onchange: () => set(made.value)}, options.map(([of, text]) => h("option", {value: of}, text)));
      made.value = filter[name] ?? "";
      return h("label", {}, label, made);
    };
    const change = (name) => (set) => { filter[name] = set; this.refresh(); };
    const search = h("input", {type: "search", id: "filter-query", placeholder: "id or first words of the prompt", autocomplete: "off", oninput: () => { endSearch(); Object.assign(filter, {query: search.value, hits: null}); this.refresh(); },
      onkeydown: (event) => { if (event.key === "Enter") this.searchAll(); if (event.key === "ArrowDown") { event.preventDefault(); this.list.element.focus(); this.list.select(Math.max(0, this.list.at)); } }});
    search.value = filter.query;
    this.all = h("button", {type: "button", onclick: () => this.searchAll()}, "Search all texts");
    const domains = [["", "all domains"], ...head.domains.map((name) => [name, line(name)])];
    return h("div", {class: "controls"},
      pick("Category", "category", [], change("category")), pick("Judge", "judge", [["", "all judges"], ...head.judges.map((one) => [one.name, line(one.name)])], change("judge")),
      head.domains.length ? pick("Domain", "domain", domains, (set) => this.rescope(set)) : "", pick("Order", "sort", Object.entries(head.scored ? SORTS : UNSCORED), change("sort")),
      h("label", {class: "grow"}, "Search", search), this.all);
  }

  /** Lists what the filters leave. */
  refresh() {
    const found = categories(this.report, this.scope);
    const select = this.controls.querySelector("#filter-category");
    const total = found.reduce((sum, [, n]) => sum + n, 0);
    if (filter.category && !found.some(([name]) => name === filter.category)) found.push([filter.category, 0]);
    select.replaceChildren(h("option", {value: ""}, `all (${count(total)})`), ...found.map(([name, n]) => h("option", {value: name}, `${name} (${count(n)})`)));
    select.value = filter.category;
    for (const [name, set] of [["judge", filter.judge], ["domain", this.scope]]) {
      const other = this.controls.querySelector(`#filter-${name}`);
      if (other) other.value = set;
    }
    const rows = filtered(this.report, this.scope);
    this.list.show(rows, this.open);
    this.all.disabled = !filter.query.trim() || !this.report.head.rows.chunks;
    this.said.replaceChildren(`${many(rows.length, "row")} of ${count(this.report.index.id.length)}`, filter.query.trim() && !filter.hits ? "; searched: ids and first words of prompts" : filter.hits ? "; searched: all texts" : "");
  }

  async searchAll() {
    if (this.all.disabled) return;
    const bar = h("progress", {max: this.report.head.rows.chunks, value: "0", "aria-label": "Texts searched"});
    const words = h("span");
    this.said.replaceChildren("Searching all texts", bar, words);
    const whole = await searchTexts(this.report, filter.query, (done, of, hits) => {
      bar.value = done;
      words.textContent = `${many(hits.size, "pair")} found`;
      filter.hits = hits;
    }).catch((error) => { filter.hits = null; this.refresh(); this.said.textContent = error.message; });
    if (whole) this.refresh();
  }

  nothing(text = null) {
    this.turn += 1;
    this.open = null;
    $("rows").classList.remove("open");
    this.detail.replaceChildren(h("div", {class: "empty"}, text ? h("p", {role: "alert"}, text) : h("p", {}, "Choose a row to read it: the prompt, both responses, the human’s reasons beside the judge’s."),
      h("p", {class: "hint"}, h("kbd", {}, "↑"), " ", h("kbd", {}, "↓"), " or ", h("kbd", {}, "k"), " ", h("kbd", {}, "j"), " move, ", h("kbd", {}, "Enter"), " opens, ", h("kbd", {}, "Esc"), " closes, ", h("kbd", {}, "/"), " searches.")));
  }

  /** The selection moved; an open row follows it, not at every step of a held key. */
  follow(row) {
    if (this.open === null) return;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.show(row, {push: false}), 60);
  }

  /** Opens a row. `push`: as a step in the history; `focus`: the keyboard goes to it. */
  async show(row, {push = false, focus = false, relinked = true, scroll = 0} = {}) {
    const turn = (this.turn += 1);
    const {index, head} = this.report;
    this.open = row;
    if (relinked) relink({row: index.id[row], judge: head.judges[index.judge[row]].name, order: index.order[row]}, push);
    if (!this.list.rows.includes(row)) this.widen(row);
    this.list.at = this.list.rows.indexOf(row);
    this.list.reveal();
    const content = await this.report.row(row).then((found) => detailBody(this.report, row, found)).catch((error) => [h("p", {class: "note", role: "alert"}, error.message)]);
    if (turn !== this.turn) return;
    $("rows").classList.add("open");
    const step = (by) => () => this.list.select(this.list.at + by);
    this.detail.replaceChildren(detailBar(this.report, row, {previous: step(-1), next: step(1), closed: () => this.close(), expand: () => this.detail.classList.toggle("all")}),
      otherGames(this.report, row, (game) => this.show(game, {push: true})), ...content.filter(Boolean));
    this.detail.classList.remove("all");
    this.detail.scrollTop = scroll;
    if (focus) this.detail.focus({preventScroll: true});
    performance.mark("row shown");
  }

  /** Takes off the filters that hide a row which was asked for. */
  widen(row) {
    const {index, head} = this.report;
    Object.assign(filter, {category: "", query: "", hits: null});
    this.controls.querySelector("#filter-query").value = "";
    if (filter.judge && head.judges[index.judge[row]].name !== filter.judge) filter.judge = "";
    this.refresh();
    if (!this.list.rows.includes(row)) this.rescope("");
  }

  close(push = true) {
    const focus = this.detail.contains(document.activeElement);
    relink({row: null, judge: null, order: null}, push);
    this.nothing();
    if (focus) this.list.element.focus({preventScroll: true});
  }

  /** Opens what the address names. */
  async linked() {
    if (link.row === null) return this.open === null ? undefined : this.nothing();
    const row = this.report.find(link.row, link.judge, link.order);
    if (row < 0) return this.nothing(`No row ${line(link.row)}${link.judge ? ` by ${line(link.judge)}` : ""} in this report.`);
    if (row !== this.open) await this.show(row, {relinked: false});
    const {top, bottom} = this.explorer.getBoundingClientRect();
    if (top > innerHeight / 2 || bottom < innerHeight / 2) this.explorer.scrollIntoView({behavior: "instant"});
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const typing = event.target.closest?.("input, select, textarea");
    if (event.key === "Escape" && this.open !== null && (!typing || !event.target.value || typing.tagName !== "INPUT")) this.close();
    else if (typing) return;
    else if (event.key === "/") $("filter-query").focus();
    else if ((event.key === "j" || event.key === "k") && (this.open !== null || $("rows").contains(event.target))) this.list.select(this.list.at + (event.key === "j" ? 1 : -1));
    else return;
    event.preventDefault();
  }
}
