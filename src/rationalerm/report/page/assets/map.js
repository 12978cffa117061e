// The map: OA across, RC up, a mark a judge with its intervals, the trap, the human ceiling, the level of chance.
function drawMap(report, scope, choose) {
  const {head} = report;
  const points = figured(head, scope).map((one) => ({judge: one.judge, name: one.name, figures: one.f})).map((one) => ({...one, x: value(one.figures.oa), y: value(one.figures.rc), title: judgeTitle(one, one.figures)}));
  const there = points.filter((one) => known(one.x) && known(one.y));
  const absent = points.filter((one) => !there.includes(one));
  const extra = {trap: head.trap?.[scope] ?? null, ceiling: head.ceiling?.[scope] ?? null, chance: chanceOf(there)};
  const element = $("map-plot");
  element.classList.toggle("tall", there.length > 0);
  if (!there.length) {
    drawFallback(element, points);
    $("map-caption").replaceChildren(h("p", {}, "No judge has both an outcome accuracy and a rationale consistency here, so there is no map."));
    return;
  }
  const wide = {x: fitted(spread(there, "oa", extra.ceiling?.oa, extra.trap?.oa_from)), y: fitted(spread(there, "rc", extra.ceiling?.rc, extra.trap?.rc_to))};
  const close = {x: fitted(centres(there, "x")), y: fitted(centres(there, "y"))};
  for (const axes of [wide, close]) if (there.some((one) => one.y < 0.02 * axes.y[1])) axes.y = [Math.min(axes.y[0], -0.035 * axes.y[1]), axes.y[1]]; // a cross at RC 0 would lie on the axis
  const axes = near.on ? close : wide;
  plotted(element, (width) => mapPlot(there, extra, axes, width), (node, width) => nameMarks(node, there, extra, axes, width, choose));
  const zoom = h("button", {type: "button", class: "link", "aria-pressed": String(near.on), id: "zoom", onclick: () => { near.on = !near.on; drawMap(report, scope, choose); $("zoom").focus(); }},
    near.on ? "Fit the axes to all that is drawn" : "Fit the axes to the marks");
  $("map-caption").replaceChildren(...caption(report, scope, there, absent, extra, axes).map((text) => h("p", {}, text)), there.length > 1 ? h("p", {}, zoom) : "");
}

const near = {on: false}; // does the reader look at the marks alone?
const centres = (points, name) => points.map((one) => one[name]);
const spread = (points, name, ...more) => [...points.flatMap((one) => one.figures[name]?.slice(0, 3) ?? []), ...more.flatMap((v) => (Array.isArray(v) ? v.slice(0, 3) : [v]))];

function chanceOf(points) {
  const all = points.map((one) => one.figures.chance).filter(known);
  return all.length ? [Math.min(...all), Math.max(...all)] : null;
}

const trapSeen = (trap, axes) => trap !== null && trap.oa_from < axes.x[1] && trap.rc_to > axes.y[0];
const MARGIN = {left: 56, right: 20, top: 30, bottom: 50};
const tall = (width) => Math.round(Math.max(440, Math.min(620, width * 0.54)));

function mapPlot(points, {trap, ceiling, chance}, axes, width) {
  const bar = {stroke: (d) => colourOf(d.judge), strokeWidth: 1.4, strokeOpacity: 0.55};
  const between = (name, k) => (d) => d.figures[name]?.[k];
  const [seen, within] = [trapSeen(trap, axes), (v, [from, to]) => known(v) && v >= from && v <= to];
  const region = seen && {x1: Math.max(trap.oa_from, axes.x[0]), x2: axes.x[1], y1: axes.y[0], y2: Math.min(trap.rc_to, axes.y[1])};
  return Plot.plot({
    width, height: tall(width), marginLeft: MARGIN.left, marginRight: MARGIN.right, marginTop: MARGIN.top, marginBottom: MARGIN.bottom,
    style: FONT, clip: true,
    ariaLabel: `Map of ${many(points.length, "judge")}: outcome accuracy across, rationale consistency up. The table below has the same figures.`,
    x: {domain: axes.x, label: "Outcome accuracy (OA)", labelOffset: 38, labelAnchor: "right", tickFormat: places(axes.x, width / 110), ticks: Math.round(width / 110), tickSize: 0},
    y: {domain: axes.y, label: "Rationale consistency (RC)", tickFormat: places(axes.y), ticks: 7, tickSize: 0},
    marks: [
      Plot.gridX({stroke: "var(--line)", strokeOpacity: 1, ticks: Math.round(width / 110)}), Plot.gridY({stroke: "var(--line)", strokeOpacity: 1, ticks: 7}),
      Plot.frame({anchor: "bottom", stroke: "var(--strong)"}), Plot.frame({anchor: "left", stroke: "var(--strong)"}),
      region ? Plot.rect([region], {x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "var(--trap-fill)", stroke: "var(--trap)", strokeDasharray: "3,3", strokeOpacity: 0.7}) : null,
      chance && within(chance[1], axes.y) ? Plot.ruleY([chance[1]], {stroke: "var(--strong)", strokeDasharray: "1,4"}) : null,
      within(value(ceiling?.rc), axes.y) ? Plot.ruleY([value(ceiling.rc)], {stroke: "var(--ceiling)", strokeWidth: 1.5, strokeDasharray: "7,4"}) : null,
      within(value(ceiling?.oa), axes.x) ? Plot.ruleX([value(ceiling.oa)], {stroke: "var(--ceiling)", strokeWidth: 1.5, strokeDasharray: "7,4"}) : null,
      Plot.ruleX(points.filter((d) => known(d.figures.rc[1])), {x: "x", y1: between("rc", 1), y2: between("rc", 2), ...bar}),
      Plot.ruleY(points.filter((d) => known(d.figures.oa[1])), {y: "y", x1: between("oa", 1), x2: between("oa", 2), ...bar}),
      Plot.dot(points, {x: "x", y: "y", r: 6, fill: (d) => colourOf(d.judge), symbol: (d) => symbolOf(d.judge), stroke: "var(--paper)", strokeWidth: 1.2, clip: false}),
      Plot.tip(points, Plot.pointer({x: "x", y: "y", title: "title", clip: false, lineHeight: 1.3, textPadding: 9, stroke: "var(--strong)", fill: "var(--paper)"})),
    ],
  });
}

/** Writes the names beside the marks and the words beside region and lines, once the plot stands and can be measured. */
function nameMarks(node, points, {trap, ceiling, chance}, axes, width, choose) {
  const plot = node.matches("svg") ? node : node.querySelector("svg");
  const height = tall(width);
  const [x, y] = [node.scale("x").apply, node.scale("y").apply];
  const layer = plot.insertBefore(svg("g"), plot.lastChild); // before the tip, which covers it
  const bounds = {x: MARGIN.left + 2, y: 4, w: width - MARGIN.left - 6, h: height - MARGIN.bottom - 6};
  const marks = points.map((one) => (boxOf(x(one.x), y(one.y), reachOf(one.judge))));
  const lines = points.flatMap(({figures: {oa, rc}, x: px, y: py}) => [
    {x1: x(oa[1] ?? px), x2: x(oa[2] ?? px), y1: y(py), y2: y(py)}, {x1: x(px), x2: x(px), y1: y(rc[1] ?? py), y2: y(rc[2] ?? py)}]);
  const left = MARGIN.left + 8, right = width - MARGIN.right - 4, top = MARGIN.top, low = height - MARGIN.bottom;
  const across = (v) => lines.push({x1: MARGIN.left, x2: right, y1: y(v), y2: y(v)});
  const within = (v, [from, to]) => known(v) && v >= from && v <= to;
  if (within(value(ceiling?.rc), axes.y)) across(value(ceiling.rc));
  if (within(value(ceiling?.oa), axes.x)) lines.push({x1: x(value(ceiling.oa)), x2: x(value(ceiling.oa)), y1: top, y2: low});
  if (chance && within(chance[1], axes.y)) across(chance[1]);
  const said = [];
  const say = (text, colour, places) => said.push(spoken(layer, text, colour, places, [...marks, ...said], lines, bounds));
  if (trapSeen(trap, axes)) {
    const [from, to] = [Math.max(x(trap.oa_from), left - 8) + 8, Math.max(top, y(trap.rc_to))];
    say("trap: as often right, for other reasons", "var(--trap)", (w, t) => [[right - w - 4, low - t - 6], [right - w - 4, to + 5], [from, low - t - 6], [from, to + 5], [right - w, to - t - 3], [from, to - t - 3]]);
  }
  if (within(value(ceiling?.rc), axes.y)) {
    const at = y(value(ceiling.rc));
    say(`human ceiling, RC ${withRange(ceiling.rc)}`, "var(--ceiling)", (w, t) => [[left, at - t - 3], [right - w, at - t - 3], [left, at + 3], [right - w, at + 3], [(left + right - w) / 2, at - t - 3]]);
  }
  if (within(value(ceiling?.oa), axes.x)) {
    const at = x(value(ceiling.oa));
    say(`human ceiling, OA ${withRange(ceiling.oa)}`, "var(--ceiling)", (w, t) => [at + 6, at - w - 6].flatMap((from) => [[from, top], [from, top + 20], [from, low - t - 24], [from, (top + low) / 2]]));
  }
  if (chance && within(chance[1], axes.y)) {
    const at = y(chance[1]);
    say(`by chance, RC ${chance[0] === chance[1] ? num(chance[1], 3) : `${num(chance[0], 3)} to ${num(chance[1], 3)}`}`, "var(--muted)", (w, t) => [[left, at - t - 2], [left, at + 2], [left + 140, at - t - 2], [right - w, at - t - 2], [(left + right - w) / 2, at - t - 2]]);
  }
  const names = points.map((one) => layer.appendChild(svg("text", {class: "name halo", "data-judge": one.judge, onclick: () => choose(one.judge)}, brief(one.name))));
  const items = names.map((text, k) => ({x: x(points[k].x), y: y(points[k].y), r: reachOf(points[k].judge), ...sizeOf(text)}));
  placed(items, said, lines, bounds).forEach((place, k) => settle(layer, names[k], place, points[k].judge));
}

const boxOf = (x, y, r) => ({x: x - r, y: y - r, w: 2 * r, h: 2 * r});

function sizeOf(text) {
  const box = text.getBBox();
  return {w: box.width, h: box.height};
}

/** Puts a name in its place; a far one gets a line to its mark and the mark again before it. */
function settle(layer, text, place, judge) {
  if (!place) return text.remove();
  const box = text.getBBox();
  if (place.leader) {
    layer.insertBefore(svg("line", {class: "leader", style: `stroke:${colourOf(judge)}`, ...place.leader}), layer.firstChild);
    const badge = mark(judge).firstChild;
    badge.setAttribute("transform", `translate(${place.box.x + 6},${place.box.y + place.box.h / 2})`);
    layer.append(badge);
  }
  text.setAttribute("transform", `translate(${place.box.x + (place.leader ? BADGE : 0) - box.x},${place.box.y - box.y})`);
}

/** Writes words at the first of their places that hides no mark, or at the one that hides least. Returns the box. */
function spoken(layer, text, colour, places, walls, lines, bounds) {
  const made = layer.appendChild(svg("text", {class: "said halo", style: `fill:${colour}`}, text));
  const {w, h: t} = sizeOf(made);
  const cost = ([px, py], k) => {
    const box = {x: px, y: py, w, h: t};
    return k / 10 + (inside(box, bounds) ? 0 : 100) + 20 * walls.filter((wall) => touches(wall, box, 3)).length + 3 * lines.filter((one) => crosses(one, box)).length;
  };
  const tried = places(w, t).map((place, k) => [cost(place, k), place]);
  const [px, py] = tried.sort((a, b) => a[0] - b[0])[0][1];
  const box = made.getBBox();
  made.setAttribute("transform", `translate(${px - box.x},${py - box.y})`);
  return {x: px, y: py, w, h: t};
}

function caption({head}, scope, there, absent, {trap, ceiling, chance}, axes) {
  const names = (list) => list.map((one) => line(one.name)).join(", ");
  const inside_ = (trap?.judges ?? []).map((k) => line(head.judges[k].name));
  const trapped = inside_.every((name) => line(trap.rule).includes(name)) ? "" : ` In it: ${inside_.join(", ")}.`;
  return [
    trap ? `Shaded. ${line(trap.rule)}${trapped}${trap.missing?.length ? ` Mind ${trap.missing.map(line).join("; ")} rows, which OA leaves out.` : ""}` : head.trap_rule ? `No trap is drawn here. ${line(head.trap_rule)}` : null,
    ceiling ? `Human ceiling: one annotator against the others, ${many(ceiling.annotators, "annotator")} over ${many(ceiling.rows, "row")}; what a judge can hope for.` : null,
    chance ? "By chance: the human’s reasons against the judge’s reasons for another row." : null,
    `The axes are cut to the data: OA from ${num(axes.x[0])} to ${num(axes.x[1])}, RC from ${num(Math.max(0, axes.y[0]))} to ${num(axes.y[1])}.`,
    absent.length ? `Not on the map, for OA or RC is not defined: ${names(absent)}.` : null,
  ].filter(Boolean);
}
