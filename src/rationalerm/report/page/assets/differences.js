// Paired differences: two judges on the same rows, with an interval and a p-value corrected for the number of comparisons.
const EVERY_PAIR = 6;
const compare = {against: null};

function drawDifferences(report, scope) {
  const {head} = report;
  const all = head.comparisons?.[scope] ?? [];
  $("differences").hidden = !Object.values(head.comparisons ?? {}).some((list) => list.length);
  const name = (k) => line(head.judges[k].name);
  const pairs = new Set(all.map((one) => `${one.first} ${one.second}`)).size;
  const best = [...new Set(all.flatMap((one) => [one.first, one.second]))].sort((a, b) => (value(head.judges[b].figures[scope]?.oa) ?? -1) - (value(head.judges[a].figures[scope]?.oa) ?? -1));
  const against = compare.against !== null && (compare.against === "all" || best.includes(+compare.against)) ? compare.against : pairs <= EVERY_PAIR ? "all" : String(best[0]);
  const select = h("select", {onchange: () => { compare.against = select.value; drawDifferences(report, scope); $("against").focus(); }, id: "against"},
    h("option", {value: "all"}, "every pair"), best.map((k) => h("option", {value: k}, `each judge against ${name(k)}`)));
  select.value = against;
  const list = all.map((one) => turned(one, against)).filter(Boolean).map((one) => ({...one, label: against === "all" ? `${brief(name(one.second), 20)} \u2212 ${brief(name(one.first), 20)}` : brief(name(one.second), 32)}));
  const rank = new Map(list.filter((one) => one.metric === "oa").map((one) => [one.label, one.difference]));
  list.sort((a, b) => compared(rank.get(a.label) ?? null, rank.get(b.label) ?? null, true));
  const plots = h("div", {class: "pair"});
  $("differences-body").replaceChildren(
    h("p", {class: "lede"}, "The same rows, judged by both: the first named less the second, with the 95% interval. Filled: p under 0.05 after Holm’s correction. Hollow: could be chance."),
    pairs > 1 ? h("div", {class: "controls"}, h("label", {}, "Compare", select)) : "", plots,
    h("p", {class: "note"}, seen(head.detectable?.[scope])),
    list.length ? asTable("These differences as a table", differenceTable(list, name)) : h("p", {class: "note"}, "No two judges share enough rows here."));
  for (const [metric, title] of [["oa", "Outcome accuracy"], ["rc", "Rationale consistency"]]) {
    const mine = list.filter((one) => one.metric === metric);
    if (!mine.length) continue;
    const element = h("div", {class: "plot"});
    plots.append(h("figure", {}, h("h3", {}, title), element));
    plotted(element, (width) => forest(mine, width, `Differences in ${title.toLowerCase()}; the table below has the same.`));
  }
}

/** A comparison (second less first) as seen from the judge that all are compared with; null where it is not part of it. */
function turned(one, against) {
  if (against === "all" || one.first === +against) return one;
  if (one.second !== +against) return null;
  return {...one, first: one.second, second: one.first, mean_first: one.mean_second, mean_second: one.mean_first,
    difference: known(one.difference) ? -one.difference : null, low: known(one.high) ? -one.high : null, high: known(one.low) ? -one.low : null};
}

function seen(detectable) {
  if (!detectable) return "";
  const parts = [["oa", "OA"], ["rc", "RC"]].filter(([name]) => known(detectable[name])).map(([name, title]) => `${num(detectable[name])} in ${title} (${many(detectable[`${name}_n`] ?? detectable.n, "common row")})`);
  return parts.length ? `A gap under ${parts.join(", or under ")}, can’t be seen with so few rows.` : "";
}

function forest(list, width, ariaLabel) {
  const left = Math.min(width * 0.45, 14 + 6.4 * Math.max(...list.map((one) => one.label.length)));
  const sure = (d) => known(d.p_adjusted) && d.p_adjusted < 0.05;
  const domain = fitted(list.flatMap((d) => [d.difference, d.low, d.high, 0]), -1, 1);
  const tick = places(domain, 5);
  return Plot.plot({
    width, height: 44 + 24 * list.length, marginLeft: left, marginRight: 16, marginTop: 8, marginBottom: 32, style: FONT, ariaLabel,
    x: {domain, label: null, tickFormat: (v) => (v > 0 ? "+" : "") + tick(v), ticks: 5, tickSize: 0}, y: {domain: list.map((d) => d.label), label: null, tickSize: 0},
    marks: [
      Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}), Plot.ruleX([0], {stroke: "var(--strong)"}),
      Plot.ruleY(list.filter((d) => known(d.low)), {y: "label", x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.5, strokeOpacity: (d) => (sure(d) ? 1 : 0.45)}),
      Plot.dot(list.filter((d) => known(d.difference)), {y: "label", x: "difference", r: 4.5, stroke: "var(--ink)", strokeWidth: 1.5, fill: (d) => (sure(d) ? "var(--ink)" : "var(--paper)")}),
    ],
  });
}

function differenceTable(list, name) {
  const columns = [{name: "Judge", text: true}, {name: "less", text: true}, {name: "Metric", text: true}, {name: "Judge’s mean"}, {name: "The other’s mean"}, {name: "Difference"},
    {name: "p", tip: "Paired permutation test."}, {name: "p, Holm", tip: "Corrected for the number of comparisons."}, {name: "Rows", tip: "Rows that both judges have."}];
  return sortable("Paired differences", columns, list.map((d) => ({cells: [
    {sort: name(d.second), text: name(d.second)}, {sort: name(d.first), text: name(d.first)}, {sort: d.metric, text: d.metric.toUpperCase()}, {sort: d.mean_second, text: num(d.mean_second)}, {sort: d.mean_first, text: num(d.mean_first)},
    {sort: d.difference, node: () => spannedDifference(d)}, {sort: d.p, text: pvalue(d.p)}, {sort: d.p_adjusted, text: pvalue(d.p_adjusted)}, {sort: d.n, text: count(d.n)}]})));
}

function spannedDifference(d) {
  const made = document.createDocumentFragment();
  made.append(signed(d.difference));
  if (known(d.low) && known(d.high)) made.append(h("span", {class: "int"}, `[${signed(d.low)}, ${signed(d.high)}]`));
  return made;
}
