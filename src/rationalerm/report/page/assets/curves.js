// Training curves: outcome and rationale in panels over one axis of steps, the alarm marked.
const PANELS = {outcome: "Outcome", rationale: "Rationale", EG: "Share of evidence-grounded reasons", loss: "Loss"};

function drawCurves({head}) {
  const curves = head.curves ?? [];
  $("curves").hidden = !curves.length;
  if (!curves.length) return;
  const judged = curves.some((one) => one.metrics.outcome || one.metrics.rationale);
  const order = [...new Set(["outcome", "rationale", ...curves.flatMap((one) => Object.keys(one.metrics))])].filter((metric) => curves.some((one) => one.metrics[metric]));
  const steps = curves.flatMap((one) => [...Object.values(one.metrics).flatMap((parts) => Object.values(parts).flat()).map((point) => point[0]), ...(one.alarms ?? []).map((alarm) => alarm.step)]);
  const domain = [Math.min(...steps), Math.max(...steps)];
  const alarms = curves.flatMap((one, k) => (one.alarms ?? []).map((alarm) => ({...alarm, k, name: one.name})));
  const panels = order.map((metric) => [metric, h("div", {class: "plot"})]);
  $("curves-body").replaceChildren(
    h("p", {class: "lede"}, judged ? "Solid with marks: held-out prompts. Thin: training. When the outcome climbs while the rationale sinks, the reward model gets better verdicts for emptier reasons." : "Thin: training."),
    h("p", {class: "key"}, curves.map((one, k) => who(k, one.name))),
    ...panels.map(([metric, element]) => h("figure", {}, h("h3", {}, PANELS[metric] ?? line(metric)), element)),
    ...alarms.map((alarm) => h("p", {class: "note"}, `Alarm, ${line(alarm.name)}, step ${count(alarm.step)}: ${line(alarm.text)}`)),
    asTable("First and last values as a table", curveTable(curves, order)));
  panels.forEach(([metric, element], k) => plotted(element, (width) => curvePanel(curves, metric, alarms, domain, width, {first: k === 0, last: k === panels.length - 1})));
}

function curvePanel(curves, metric, alarms, domain, width, {first, last}) {
  const points = curves.flatMap((one, k) => Object.entries(one.metrics[metric] ?? {}).flatMap(([part, list]) => list.map(([step, mean, low, high]) => ({k, step, mean, low, high, series: `${k} ${part}`, thin: part === "train"})))).filter((d) => known(d.mean));
  const [thin, solid] = [points.filter((d) => d.thin), points.filter((d) => !d.thin)];
  const values = points.flatMap((d) => [d.mean, d.low, d.high]).filter(known);
  const y = fitted(values, Math.min(0, ...values), Math.max(1, ...values));
  return Plot.plot({
    width, height: last ? 256 : 226, marginLeft: 48, marginRight: 16, marginTop: 18, marginBottom: last ? 46 : 16, style: FONT, ariaLabel: `${PANELS[metric] ?? metric} over steps; the table below has first and last values.`,
    x: {domain, label: last ? "Step" : null, labelOffset: 36, ticks: 8, tickSize: 0, ...(last ? {} : {tickFormat: () => ""})}, y: {domain: y, label: null, tickFormat: places(y, 5), ticks: 5, tickSize: 0},
    marks: [
      Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}), Plot.frame({anchor: "bottom", stroke: "var(--strong)"}),
      Plot.ruleX(alarms, {x: "step", stroke: "var(--trap)", strokeDasharray: "4,3"}),
      Plot.text(first ? alarms.slice(0, 6) : [], {x: "step", text: (d) => `alarm: ${brief(d.name, 18)}, step ${d.step}`, frameAnchor: "top", dy: -14, textAnchor: "middle", fill: "var(--trap)", stroke: "var(--paper)", strokeWidth: 4, fontSize: 12}),
      Plot.line(thin, {x: "step", y: "mean", z: "series", stroke: (d) => colourOf(d.k), strokeOpacity: 0.5, strokeWidth: 1}),
      Plot.ruleX(solid.filter((d) => known(d.low)), {x: "step", y1: "low", y2: "high", stroke: (d) => colourOf(d.k), strokeOpacity: 0.45}),
      Plot.line(solid, {x: "step", y: "mean", z: "series", stroke: (d) => colourOf(d.k), strokeWidth: 2}),
      Plot.dot(solid, {x: "step", y: "mean", r: 4, fill: (d) => colourOf(d.k), symbol: (d) => symbolOf(d.k), stroke: "var(--paper)", strokeWidth: 0.8}),
    ],
  });
}

function curveTable(curves, order) {
  const rows = curves.flatMap((one) => order.flatMap((metric) => Object.entries(one.metrics[metric] ?? {}).filter(([, list]) => list.length).map(([part, list]) => {
    const [first, final] = [list[0], list[list.length - 1]];
    return {cells: [{sort: line(one.name), text: line(one.name)}, {sort: metric, text: PANELS[metric] ?? line(metric)}, {sort: part, text: line(part)},
      {sort: first[1], text: `${num(first[1])} at ${count(first[0])}`}, {sort: final[1], text: `${num(final[1])} at ${count(final[0])}`}]};
  })));
  return sortable("Training curves, first and last values", [{name: "Run", text: true}, {name: "Metric", text: true}, {name: "On", text: true}, {name: "First, at step"}, {name: "Last, at step"}], rows);
}
