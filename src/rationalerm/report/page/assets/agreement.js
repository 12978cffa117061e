// Two evaluators of the same rows: do they order the judges alike?
function drawAgreement({head}) {
  const one = head.agreement;
  $("agreement").hidden = !one;
  if (!one) return;
  const points = one.judges.map((judge, k) => {
    const known_ = head.judges.findIndex((other) => other.name === judge.name);
    return {...judge, judge: known_ < 0 ? k : known_};
  }).filter((judge) => known(judge.x) && known(judge.y));
  const element = h("div", {class: "plot"});
  const figures = [["R²", one.r2], ["RMSE", one.rmse], ["Slope", one.slope], ["Spearman", one.spearman]];
  $("agreement-body").replaceChildren(
    h("p", {class: "lede"}, `RC by ${line(one.first)} across, by ${line(one.second)} up, over ${many(one.rows, "common row")}. On the diagonal both say the same.`),
    h("div", {class: "pair"}, h("figure", {}, element),
      h("div", {}, h("dl", {class: "figures"}, figures.map(([name, v]) => h("div", {}, h("dt", {}, name), h("dd", {}, withRange(v))))), agreementTable(one))));
  const range_ = fitted(points.flatMap((d) => [d.x, d.y]));
  plotted(element, (width) => Plot.plot({
    width, height: Math.min(width, 420), marginLeft: 48, marginBottom: 48, style: FONT, ariaLabel: "Agreement of two evaluators; the table beside has the same figures.",
    x: {domain: range_, label: `RC by ${brief(one.first)}`, labelOffset: 38, tickFormat: places(range_, 5), ticks: 5, tickSize: 0}, y: {domain: range_, label: `RC by ${brief(one.second)}`, tickFormat: places(range_, 5), ticks: 5, tickSize: 0},
    marks: [
      Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}), Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 5}),
      Plot.link([0], {x1: range_[0], y1: range_[0], x2: range_[1], y2: range_[1], stroke: "var(--strong)", strokeDasharray: "4,3"}),
      Plot.dot(points, {x: "x", y: "y", r: 6, fill: (d) => colourOf(d.judge), symbol: (d) => symbolOf(d.judge), stroke: "var(--paper)"}),
    ],
  }), (node, width) => {
    const [x, y] = [node.scale("x").apply, node.scale("y").apply];
    const layer = node.appendChild(svg("g"));
    const names = points.map((d) => layer.appendChild(svg("text", {class: "name halo"}, brief(d.name, 22))));
    const items = names.map((text, k) => ({x: x(points[k].x), y: y(points[k].y), r: reachOf(points[k].judge), ...sizeOf(text)}));
    placed(items, [], [{x1: x(range_[0]), y1: y(range_[0]), x2: x(range_[1]), y2: y(range_[1])}], {x: 50, y: 2, w: width - 56, h: Math.min(width, 420) - 52}).forEach((place, k) => settle(layer, names[k], place, points[k].judge));
  });
}

function agreementTable(one) {
  return sortable("RC by two evaluators", [{name: "Judge", text: true}, {name: line(one.first)}, {name: line(one.second)}],
    one.judges.map((judge) => ({cells: [{sort: line(judge.name), text: line(judge.name)}, {sort: judge.x, text: num(judge.x)}, {sort: judge.y, text: num(judge.y)}]})));
}
