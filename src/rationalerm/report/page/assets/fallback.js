// Where no judge has both figures: those that are there, as dots with intervals.
function drawFallback(element, points) {
  const dots = points.flatMap((one) => ["oa", "rc"].filter((name) => known(value(one.figures[name]))).map((name) => ({...one, name, mean: one.figures[name], label: one.name})));
  if (!dots.length) return element.replaceChildren();
  const shown = {oa: "Outcome accuracy (OA)", rc: "Rationale consistency (RC)"}[dots[0].name];
  plotted(element, (width) => Plot.plot({
    width, height: 74 + 30 * points.length, marginLeft: 200, marginBottom: 48, marginRight: 20, style: FONT, ariaLabel: `${shown}, a dot a judge; the table below has the same figures.`,
    x: {domain: fitted(dots.flatMap((d) => d.mean.slice(0, 3))), label: shown, labelOffset: 36, grid: true, ticks: 8, tickFormat: (v) => num(v), tickSize: 0},
    y: {type: "point", domain: points.map((one) => one.judge), label: null, tickFormat: (k) => brief(points.find((one) => one.judge === k).name), tickSize: 0},
    marks: [
      Plot.ruleY(dots.filter((d) => known(d.mean[1])), {y: "judge", x1: (d) => d.mean[1], x2: (d) => d.mean[2], stroke: (d) => colourOf(d.judge)}),
      Plot.dot(dots, {y: "judge", x: (d) => d.mean[0], r: 6, fill: (d) => colourOf(d.judge), symbol: (d) => symbolOf(d.judge)}),
    ],
  }));
}
