// One row, open: prompt, responses, both lists of reasons with their lines, the verdicts, what the judge wrote.
function detailBar(report, row, {previous, next, closed, expand}) {
  const {index} = report;
  const category = index.category[row];
  const copy = h("button", {type: "button", onclick: () => navigator.clipboard?.writeText(location.href).then(() => (copy.textContent = "Copied"), () => (copy.textContent = "Copy the address"))}, "Copy link");
  return h("div", {class: "bar"},
    h("h3", {id: "detail-title"}, h("bdi", {class: "mono"}, line(index.id[row])), h("span", {class: `tag ${tone(category)}`}, category)),
    h("button", {type: "button", onclick: previous, title: "k"}, "↑ Previous"), h("button", {type: "button", onclick: next, title: "j"}, "↓ Next"),
    h("button", {type: "button", "aria-pressed": "false", onclick: (event) => event.target.setAttribute("aria-pressed", expand())}, "Full texts"), copy, h("button", {type: "button", onclick: closed, title: "Escape"}, "Close"));
}

/** The same pair by other judges and in the other order. */
function otherGames(report, row, opened) {
  const {index, head} = report;
  const games = report.games.get(index.pair[row]);
  if (games.length < 2) return "";
  return h("div", {class: "games", role: "group", "aria-label": "This row by each judge"}, games.map((game) => h("button", {type: "button", "aria-pressed": String(game === row), onclick: () => opened(game)},
    who(index.judge[game], head.judges[index.judge[game]].name), head.both ? h("span", {class: "muted"}, ORDERS[index.order[game]]) : "", verdictSign(index, game), head.scored ? h("span", {class: "muted"}, num(index.recall[game])) : "")));
}

function detailBody(report, row, {pair, game}) {
  const {index, head} = report;
  const swapped = index.order[row] === 1;
  const turn = (v) => (known(v) ? (swapped ? -v : v) : null);
  const [human, judge] = [turn(index.label[row]), turn(index.verdict[row])];
  const {box, toggle} = matchingOf(pair, game);
  const responses = pair.responses ? (swapped ? [...pair.responses].reverse() : pair.responses) : null;
  return [
    swapped ? h("p", {class: "note"}, "Asked in the swapped order. The letters below are those of this game: its A is the row’s B.") : "",
    h("dl", {class: "figures"}, [
      ["Human", `${known(human) ? verdictWord(human) : "no label"}${known(pair.preference) ? ` (preference ${num(turn(pair.preference), 0)})` : ""}`], ["Judge", known(judge) ? verdictWord(judge) : "no verdict"],
      ...(head.scored ? [["Recall", num(index.recall[row])], ["Precision", num(index.precision[row])], ["AP", num(index.ap[row])], ["Shared reasons", known(index.recall[row]) && game.links ? `${game.links.length} of ${index.n_human[row]}` : "\u2013"]] : []),
      ...(index.domain[row] >= 0 ? [["Domain", line(head.domains[index.domain[row]])]] : []),
    ].map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("bdi", {}, text))))),
    ...(pair.messages?.length ? [h("h4", {}, "Prompt"), ...pair.messages.flatMap(([role, text]) => [pair.messages.length > 1 ? h("p", {class: "role"}, line(role)) : "", textBox(text, "Prompt", "short")])] : []),
    ...(responses ? [h("h4", {}, "Responses"), h("div", {class: "two"}, responses.map((text, k) => responseOf(text, k, swapped, human, judge)))] : []),
    !responses && !pair.messages?.length ? h("p", {class: "note"}, line(head.rows.why_no_texts ?? "The texts of this row are not in the report.")) : "",
    h("h4", {}, "Reasons", toggle), box,
    ...(game.text !== null && game.text !== undefined ? [h("h4", {}, "What the judge wrote"), textBox(game.text, "What the judge wrote", "raw")] : []),
    h("h4", {}, "Notes"),
    h("p", {class: "note"}, [`Verdict: ${line(game.status?.[0] ?? "unknown")}. Reasons: ${line(game.status?.[1] ?? "unknown")}.`, game.evaluator ? ` Matched by ${line(game.evaluator)}.` : "", game.notes?.length ? ` The parser noted: ${game.notes.map(line).join("; ")}.` : ""].join("")),
  ];
}

function responseOf(text, k, swapped, human, judge) {
  const picked = (side) => known(side) && Math.sign(side) === (k ? 1 : -1);
  return h("div", {}, h("p", {class: "role"}, h("strong", {}, `Response ${"AB"[k]}`), `or ${k + 1}`, swapped ? ` (the row’s ${"BA"[k]})` : "",
    picked(human) ? h("span", {class: "tag good"}, "human’s choice") : "", picked(judge) ? h("span", {class: `tag ${picked(human) ? "good" : "bad"}`}, "judge’s choice") : ""), textBox(text, `Response ${"AB"[k]}`, ""));
}

/** A text in a box that scrolls, also by keyboard. */
function textBox(text, label, extra) {
  return judged("div", {class: `box ${extra}`.trim(), tabindex: "0", role: "group", "aria-label": label}, text);
}
