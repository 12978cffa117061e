// The table: a row a judge, every figure with its interval, and what was not scored.
const COLUMNS = [
  ["oa", "OA", "Outcome accuracy: the share of verdicts that pick the human’s side, over rows with a verdict and no human tie."],
  ["oa_all", "OA, all", "Outcome accuracy when a missing verdict counts as wrong."],
  ["rc", "RC", "Rationale consistency: the mean share of the human’s reasons that the judge gives too, matched one to one."],
  ["s_corr", "S-Corr", "The share of right verdicts whose row recall is under the threshold: right for other reasons. Lower is better."],
  ["ap", "AP", "Average precision: a shared reason counts more the earlier the judge gives it, and fully however well it is met, so it may be above RC."],
  ["precision", "Precision", "The mean share of the judge’s reasons that the human gives too."],
  ["f1", "F1", "The mean over rows of the harmonic mean of recall and precision."],
];

function drawTable(report, scope, choose) {
  const {head} = report;
  const judges = figured(head, scope);
  const used = COLUMNS.filter(([name]) => judges.some((one) => known(value(one.f[name]))));
  const plain = [
    ["chance", "Chance", "RC of the human’s reasons against the judge’s reasons for another row.", (f) => num(f.chance, 3)],
    ["n", "Rows", "Rows in these figures.", (f) => count(f.n)],
    ["no_verdict", "No verdict", "Rows where the judge gave no verdict that can be read; they are not in OA.", (f) => count(f.no_verdict ?? 0)],
    ["unscored", "Unscored", "Rows whose reasons could not be scored; they are in no mean.", (f) => count(f.unscored ?? 0)],
  ].filter(([name]) => name !== "chance" || judges.some((one) => known(one.f.chance)));
  const under = [...new Set(head.runs.map((run) => run.spurious_under).filter(known))].join(" or ");
  const runs = head.runs.length > 1;
  const columns = [{name: "Judge", text: true, tip: "The judge or reward model; its mark is the one on the map."}, ...(runs ? [{name: "Run", text: true, tip: "The run directory that the figures come from."}] : []),
    ...used.map(([, name, tip]) => ({name, tip: under ? tip.replace("the threshold", under) : tip})), ...plain.map(([, name, tip]) => ({name, tip}))];
  const rows = judges.map((one) => ({cells: [
    {sort: line(one.name).toLowerCase(), node: () => who(one.judge, one.name)}, ...(runs ? [{sort: line(head.runs[one.run]?.name ?? ""), text: line(head.runs[one.run]?.name ?? "")}] : []),
    ...used.map(([name]) => cell(one.f[name], {title: one.f[name] && known(one.f[name][3]) ? `over ${many(one.f[name][3], "row")}` : null})),
    ...plain.map(([name, , , text]) => ({sort: known(one.f[name]) ? one.f[name] : null, text: text(one.f)})),
  ]}));
  const rc = 1 + runs + used.findIndex(([name]) => name === "rc");
  const notes = judges.flatMap((one) => [...(one.notes ?? [])].map((note) => `${line(one.name)}: ${line(note)}`));
  $("table-body").replaceChildren(
    sortable(`Figures of ${many(judges.length, "judge")}`, columns, rows, used.some(([name]) => name === "rc") ? rc : null),
    h("p", {class: "note"}, "In brackets: 95% intervals. A dash: not defined.", h("span", {class: "screen"}, " Read the rows of ",
      judges.length > 12 ? "a judge by its name on the map." : judges.map((one, k) => [k ? ", " : "", h("button", {type: "button", class: "link", onclick: () => choose(one.judge)}, line(one.name))]).flat())),
    head.hang && !scope ? h("p", {class: "note"}, line(head.hang)) : "",
    head.runs.some((run) => !run.finished) ? h("p", {class: "note"}, "A run goes on: by how much other human reasons would move RC, and what the reasons are made of, is worked out at its end.") : "",
    ...notes.map((note) => h("p", {class: "note"}, note)));
}
