// Benchmark tables, the papers' rows apart from the measured ones.
function drawBenches({head}) {
  const benches = head.benches ?? [];
  $("benches").hidden = !benches.length;
  $("benches-body").replaceChildren(...benches.flatMap((bench) => [
    h("h3", {style: "margin-top:18px"}, line(bench.title)),
    sortable(line(bench.title), [{name: "Model", text: true}, ...bench.columns.map((name) => ({name: line(name)}))], bench.rows.map((row) => ({
      class: row.published ? "published" : null,
      cells: [{sort: line(row.name), node: () => h("span", {}, h("bdi", {}, line(row.name)), row.published ? [" ", h("span", {class: "tag"}, "published")] : "")}, ...bench.columns.map((_, k) => cell(row.cells[k]))],
    }))),
    ...(bench.notes ?? []).map((note) => h("p", {class: "note"}, line(note))),
  ]));
}
