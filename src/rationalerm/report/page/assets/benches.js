// Benchmark tables in percent: what was measured here, and the papers' rows apart from it.
function drawBenches({head}) {
  const benches = head.benches ?? [];
  $("benches").hidden = !benches.length;
  $("benches-body").replaceChildren(...benches.flatMap((bench) => {
    const quoted = bench.published, beside = quoted?.compare;
    return [
      h("h3", {style: "margin-top:18px"}, line(bench.title)),
      !bench.columns.length ? "" : benchTable(bench, line(bench.title), [...bench.rows, ...(beside ? quoted.rows.map((row) => ({...row, published: true})) : [])]),
      !bench.columns.length ? "" : h("p", {class: "note"}, "In brackets: intervals. A dash: not defined."),
      beside ? h("p", {class: "note"}, line(quoted.note)) : "",
      ...(bench.notes ?? []).map((note) => h("p", {class: "note"}, line(note))),
      ...(bench.lines ?? []).filter((one) => one.lines.length).map((one) => h("div", {class: "lines"}, bench.lines.length > 1 ? h("h4", {}, line(one.name)) : "", h("ul", {}, one.lines.map((text) => h("li", {}, line(text)))))),
      quoted && !beside ? h("details", {class: "as-table"}, h("summary", {}, "Published rows of papers, not measured here"), h("p", {class: "note"}, line(quoted.note)),
        benchTable(bench, `${line(bench.title)}, published`, quoted.rows.map((row) => ({...row, published: true})))) : "",
    ].filter(Boolean);
  }));
}

function benchTable(bench, caption, rows) {
  const columns = bench.columns.map((name, k) => ({name: line(name), tip: bench.tips?.[k] ? line(bench.tips[k]) : null}));
  const shown_ = rows.every((row) => row.published) ? columns.map((_, k) => k).filter((k) => rows.some((row) => known(value(row.cells[k])))) : columns.map((_, k) => k);
  const first = bench.head ?? "judge";
  return sortable(caption, [{name: first[0].toUpperCase() + line(first).slice(1), text: true}, ...shown_.map((k) => columns[k])], rows.map((row) => ({
    class: row.published ? "published" : null,
    cells: [{sort: line(row.name), node: () => h("span", {}, h("bdi", {}, line(row.name)), row.published ? [" ", h("span", {class: "tag"}, "published")] : "")},
      ...shown_.map((k) => figure(row.cells[k], bench.digits?.[k] ?? 1))],
  })));
}

/** A figure with its interval, to so many places; how many it is over, where that is known, when it is pointed at. */
function figure(v, digits) {
  const made = () => {
    const parts = document.createDocumentFragment();
    parts.append(num(value(v), digits));
    if (range(v, digits)) parts.append(h("span", {class: "int"}, range(v, digits)));
    return parts;
  };
  return {sort: value(v), node: made, title: digits && known(v?.[3]) ? `n = ${count(v[3])}` : null};
}
