// Kinds of reasons as stacked bars, flaws as dots: what a judge's reasons are made of.
const KINDS = {EG: ["evidence-grounded", "says where and what"], CG: ["criterion-grounded", "names a criterion, does not locate it"], GS: ["generic or style", "would fit any pair"]};
const FLAWS = {F1: "style only", F2: "generic correctness", F3: "generic relevance", F4: "single-sided praise", F5: "unfalsifiable", F6: "non sequitur", F7: "contradicts another"};
const percent = (v) => (known(v) ? `${Math.round(100 * v)}%` : "\u2013");

function drawKinds(report) {
  const {kinds, judges} = report.head;
  $("kinds").hidden = !kinds?.judges?.length;
  if (!kinds?.judges?.length) return;
  const list = kinds.judges;
  const name = (one) => line(judges[one.judge].name);
  const [bars, dots] = [h("div", {class: "plot"}), h("div", {class: "plot"})];
  const flaws = Object.keys(FLAWS).filter((flaw) => list.some((one) => known(value(one[flaw]))));
  $("kinds-body").replaceChildren(
    h("p", {class: "lede"}, `Each reason is one of three kinds and may have flaws. Tagged by ${line(kinds.tagger)}${kinds.agreement ? `; ${line(kinds.agreement)}` : ""}.`),
    h("figure", {}, h("h3", {}, "Kinds, share of a judge’s reasons"), key(Object.entries(KINDS).map(([kind, [title, what]]) => [`var(--${kind.toLowerCase()})`, `${kind} ${title}: ${what}`])), bars),
    flaws.length ? h("figure", {}, h("h3", {}, "Flaws, share of a judge’s reasons that have it"), judgeKey(report, list.map((one) => one.judge)), dots) : "",
    asTable("Kinds and flaws as a table", sortable("Kinds and flaws", [{name: "Judge", text: true}, {name: "Reasons"}, ...Object.entries(KINDS).map(([kind, [title]]) => ({name: kind, tip: title})), ...flaws.map((flaw) => ({name: flaw, tip: FLAWS[flaw]}))],
      list.map((one) => ({cells: [{sort: name(one), node: () => who(one.judge, name(one))}, {sort: one.n, text: count(one.n)}, ...[...Object.keys(KINDS), ...flaws].map((tag) => cell(one[tag]))]})))));
  plotted(bars, (width) => kindBars(list, name, width));
  if (flaws.length) plotted(dots, (width) => flawDots(list, flaws, width));
}

function kindBars(list, name, width) {
  const parts = list.flatMap((one) => {
    let from = 0;
    return Object.keys(KINDS).map((kind) => {
      const share = value(one[kind]) ?? 0;
      from += share;
      return {judge: one.judge, kind, from: from - share, to: from};
    });
  });
  const said = (one) => Object.keys(KINDS).map((kind) => `${kind} ${percent(value(one[kind]))}`).join("   ");
  const names = new Map(list.map((one) => [one.judge, brief(name(one), 26)]));
  const roomy = width > 560;  // else the shares stand in the table alone
  return Plot.plot({
    width, height: 34 + 28 * list.length, marginLeft: Math.min(200, 0.42 * width, 20 + 6.6 * Math.max(...[...names.values()].map((text) => text.length))), marginRight: roomy ? 180 : 12, marginTop: 6, marginBottom: 28, style: FONT,
    ariaLabel: "Kinds of reasons, a bar a judge; the table below has the same figures.",
    x: {domain: [0, 1], label: null, tickFormat: "%", ticks: 5, tickSize: 0}, y: {domain: list.map((one) => one.judge), label: null, tickFormat: (k) => names.get(k), tickSize: 0, padding: 0.25},
    marks: [
      Plot.barX(parts, {y: "judge", x1: "from", x2: "to", fill: (d) => `var(--${d.kind.toLowerCase()})`, stroke: "var(--paper)", strokeWidth: 1.5}),
      roomy ? Plot.text(list, {y: "judge", text: said, frameAnchor: "right", textAnchor: "start", dx: 10, fill: "var(--ink)", fontSize: 12}) : null,
    ],
  });
}

function flawDots(list, flaws, width) {
  const gap = Math.min(8, 40 / list.length);
  const rows = list.flatMap((one, k) => flaws.map((flaw) => ({judge: one.judge, flaw, mean: one[flaw] ?? [null], dy: (k - (list.length - 1) / 2) * gap})));
  const there = rows.filter((d) => known(d.mean[0]));
  return Plot.plot({
    width, height: 44 + flaws.length * Math.max(30, gap * list.length + 14), marginLeft: Math.min(170, 0.45 * width), marginRight: 20, marginTop: 6, marginBottom: 30, style: FONT,
    ariaLabel: "Flaws of reasons, a dot a judge; the table below has the same figures.",
    x: {domain: fitted(there.flatMap((d) => d.mean.slice(0, 3)).concat(0)), label: null, tickFormat: (v) => percent(v), ticks: 6, tickSize: 0},
    y: {domain: flaws, label: null, tickFormat: (flaw) => `${flaw} ${FLAWS[flaw]}`, tickSize: 0},
    marks: [
      Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 6}), Plot.ruleY(flaws, {stroke: "var(--line)"}),
      ...list.flatMap((one) => {
        const mine = there.filter((d) => d.judge === one.judge), dy = mine[0]?.dy ?? 0;
        return [Plot.ruleY(mine.filter((d) => known(d.mean[1])), {y: "flaw", x1: (d) => d.mean[1], x2: (d) => d.mean[2], stroke: colourOf(one.judge), strokeOpacity: 0.6, strokeWidth: 1.4, dy}),
          Plot.dot(mine, {y: "flaw", x: (d) => d.mean[0], r: 4.5, fill: colourOf(one.judge), symbol: symbolOf(one.judge), stroke: "var(--paper)", strokeWidth: 0.8, dy})];
      }),
    ],
  });
}
