// The human's reasons left, the judge's right, a line between those that were matched.
const KIND_TITLES = Object.fromEntries(Object.entries(KINDS).map(([kind, [title, what]]) => [kind, `${title}: ${what}`]));

function matchingOf(pair, game) {
  const human = game.human ?? pair.human ?? [];
  const model = game.reasons ?? [];
  const cut = game.cut ?? model.length;
  const links = (game.links ?? []).map(([i, j, s]) => ({i, j, s}));
  const near = (game.near ?? []).map(([i, j, s]) => ({i, j, s}));
  const lines = svg("svg", {"aria-hidden": "true", focusable: "false"});
  const left = human.map((text, i) => reason(text, i, {off: false, met: links.filter((one) => one.i === i).map((one) => [`judge’s ${one.j + 1}`, one.s])}));
  const right = model.map((text, j) => reason(text, j, {off: j >= cut, met: links.filter((one) => one.j === j).map((one) => [`human’s ${one.i + 1}`, one.s]), kind: game.kinds?.[j], flaws: game.flaws?.[j]}));
  const box = h("div", {class: "matching"}, lines,
    h("div", {class: "human"}, h("p", {class: "side-title"}, `Human: ${many(human.length, "reason")}${pair.prose ? ", split from prose" : ""}`), h("ol", {}, left), human.length ? "" : h("p", {class: "muted"}, game.human ?? pair.human ? "No human reasons." : "Not in this report.")),
    h("div", {class: "model"}, h("p", {class: "side-title"}, `Judge: ${many(model.length, "reason")}${cut < model.length ? `, the first ${cut} counted` : ""}`),
      h("ol", {}, right.slice(0, cut)), cut < model.length ? [h("p", {class: "cutline"}, "Not counted"), h("ol", {start: cut + 1}, right.slice(cut))] : "", model.length ? "" : h("p", {class: "muted"}, game.reasons ? "The judge gave no reasons." : "Not in this report.")));
  const draw = (withNear) => drawLines(lines, box, left, right, links, withNear ? near : []);
  const all = [...links, ...near];
  left.forEach((node, i) => lightUp(node, all.filter((one) => one.i === i && links.includes(one)).map((one) => right[one.j])));
  right.forEach((node, j) => lightUp(node, all.filter((one) => one.j === j && links.includes(one)).map((one) => left[one.i])));
  let shows = false;
  new ResizeObserver(() => draw(shows)).observe(box);
  box.redraw = () => draw(shows);
  const toggle = near.length ? h("label", {}, h("input", {type: "checkbox", onchange: (event) => draw((shows = event.target.checked))}), ` ${many(near.length, "near miss", "near misses")}`) : "";
  return {box, toggle};
}

function reason(text, k, {off, met, kind, flaws}) {
  const tags = [kind ? h("span", {class: "tag", title: KIND_TITLES[kind]}, kind) : "", ...(flaws ?? []).map((flaw) => h("span", {class: "tag warn", title: FLAWS[flaw]}, `${flaw} ${FLAWS[flaw] ?? ""}`))];
  const foot = [...met.map(([other, score]) => h("span", {}, `↔ ${other}, ${num(score)}`)), ...tags].filter(Boolean);
  return h("li", {class: `reason${off ? " off" : ""}${met.length ? " met" : ""}`}, h("span", {class: "no"}, `${k + 1}`), h("div", {}, judged("div", {class: "text"}, text), foot.length ? h("div", {class: "foot"}, foot) : ""));
}

function lightUp(node, others) {
  if (!others.length) return;
  for (const [event, on] of [["mouseenter", true], ["mouseleave", false]]) node.addEventListener(event, () => [node, ...others].forEach((one) => one?.classList.toggle("lit", on)));
}

function drawLines(lines, box, left, right, links, near) {
  const frame = box.getBoundingClientRect();
  if (!frame.width) return;
  const path = ({i, j, s}, kind) => {
    if (!left[i] || !right[j]) return null;
    const [a, b] = [left[i].getBoundingClientRect(), right[j].getBoundingClientRect()];
    const [x1, y1, x2, y2] = [a.right - frame.left, a.top + Math.min(a.height / 2, 26) - frame.top, b.left - frame.left, b.top + Math.min(b.height / 2, 26) - frame.top];
    const bend = (x2 - x1) / 2;
    return {kind, s, x: (x1 + x2) / 2, y: (y1 + y2) / 2, node: svg("path", {class: kind, d: `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`, "stroke-width": kind === "match" ? 1.2 + 4 * s : 0.8 + 2 * s})};
  };
  const made = [...near.map((one) => path(one, "near")), ...links.map((one) => path(one, "match"))].filter(Boolean);
  let below = -Infinity;
  const scores = [...made].sort((a, b) => a.y - b.y).map((one) => {
    below = Math.max(one.y + 4, below + 14);
    return svg("text", {x: one.x, y: below}, num(one.s));
  });
  lines.replaceChildren(...made.map((one) => one.node), ...scores);
}

// On paper the lists are as wide as they are made here, for a page can't be measured while it prints.
const PAPER = "680px";
for (const [event, width] of [["beforeprint", PAPER], ["afterprint", ""]]) {
  addEventListener(event, () => {
    for (const box of document.querySelectorAll(".matching")) {
      box.style.width = width;
      box.redraw();
    }
  });
}
