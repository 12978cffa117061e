// Starts the page: data in, parts drawn, address obeyed.
const app = {report: null, rows: null, scope: ""};

function choose(judge) {
  filter.judge = app.report.head.judges[judge].name;
  app.rows?.refresh();
  $("rows").scrollIntoView();
}

function drawOpening({head}) {
  $("title").textContent = line(head.title);
  const runs = head.runs.map((run) => [run.name !== head.title ? line(run.name) : null, line(run.command), run.matcher ? `matcher ${line(run.matcher)}` : null, run.scoring ? `${line(run.scoring)} scoring` : null, known(run.top_k) ? `first ${run.top_k} reasons` : null,
    known(run.rows) ? many(run.rows, "row") : null, run.bad_rows ? `${many(run.bad_rows, "row")} not read` : null, run.finished ? null : soFar(run.so_far)].filter(Boolean).join(" · "));
  $("facts").replaceChildren(...runs.flatMap((text, k) => (k ? [h("br"), text] : [text])));
  const scored = head.runs.filter((run) => run.matcher); // the others matched nothing: there is nothing to differ in
  const unlike = ["matcher", "scoring", "top_k", "spurious_under"].filter((name) => new Set(scored.map((run) => run[name])).size > 1);
  const warnings = [...(head.remarks ?? []), ...head.runs.flatMap((run) => run.remarks ?? [])].map((text) => `${line(text)}.`);
  if (unlike.length) warnings.unshift(`The runs differ in ${unlike.map((name) => name.replaceAll("_", " ")).join(", ")}: compare judges within a run, not across.`);
  $("unlike").hidden = !warnings.length;
  $("unlike").textContent = warnings.join(" ");
  const said = head.meaning ?? [];
  for (const old of document.querySelectorAll(".meaning ~ .meaning")) old.remove();
  $("meaning").hidden = !said.length;
  $("meaning").textContent = said.length ? line(said[0]) : "";
  $("meaning").after(...said.slice(1, 4).map((text) => h("p", {class: "meaning"}, line(text))));
}

function soFar(state) {
  if (!state) return "not finished";
  return `not finished: ${count(state.rows)}${known(state.of) ? ` of ${count(state.of)}` : ""} rows so far`;
}

/** Judges with an outcome accuracy or an RC of their own; the others have their benchmark's table alone. */
const figured = (head, scope) => head.judges.map((judge, k) => ({judge: k, ...judge, f: judge.figures[scope]})).filter((one) => one.f && !head.runs[one.run]?.own_table);

function drawScope({head}) {
  $("scope").hidden = !head.domains.length;
  $("scope").replaceChildren(...[["", "All domains"], ...head.domains.map((name) => [name, line(name)])].map(([name, text]) =>
    h("button", {type: "button", "data-domain": name, "aria-pressed": String(name === app.scope), onclick: () => rescope(name, true)}, text)));
}

/** Draws a part; one that fails says so in its place and leaves the others alone. */
function guarded(id, draw) {
  try {
    draw();
  } catch (error) {
    $(id).replaceChildren(h("p", {class: "note", role: "alert"}, `This part can’t be shown: ${error.message}`));
    console.error(error);
  }
}

/** The parts that a domain changes. */
function drawScoped() {
  const {report, scope} = app;
  const first = !figured(report.head, "").length; // no figures: the benchmarks' own tables are the result
  $("map").hidden = $("table").hidden = first;
  $(first ? "map" : "rows").before($("benches"));
  guarded("map-caption", () => drawMap(report, scope, choose));
  performance.mark("map drawn");
  guarded("table-body", () => drawTable(report, scope, choose));
  guarded("differences-body", () => drawDifferences(report, scope));
}

function drawRest() {
  const {report} = app;
  for (const [part, draw] of Object.entries({agreement: drawAgreement, kinds: drawKinds, curves: drawCurves, benches: drawBenches})) guarded(`${part}-body`, () => draw(report));
  const copy = h("button", {type: "button", onclick: () => navigator.clipboard?.writeText(report.head.how).then(() => (copy.textContent = "Copied"), () => {})}, "Copy");
  $("how").hidden = !report.head.how;
  $("how-body").replaceChildren(copy, judged("div", {class: "how", tabindex: "0", role: "group", "aria-label": "How it was computed"}, report.head.how ?? ""));
  drawNav();
}

function drawNav() {
  $("nav").replaceChildren(...[...document.querySelectorAll("section[data-nav]")].filter((part) => !part.hidden).map((part) => h("li", {}, h("a", {href: `#${part.id}`, onclick: (event) => { event.preventDefault(); goTo(part.id); }}, part.dataset.nav))));
}

function goTo(id) {
  const heading = $(`${id}-title`);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({preventScroll: true});
  $(id).scrollIntoView();
}

/** Shows one domain everywhere. */
function rescope(name, push = false) {
  relink({domain: name}, push);
  if (name === app.scope) return;
  app.scope = name;
  for (const button of $("scope").children) button.setAttribute("aria-pressed", String(button.dataset.domain === name));
  drawScoped();
  if (app.rows) { app.rows.scope = name; app.rows.refresh(); }
}

async function followLink() {
  const part = readLink();
  const domain = app.report.head.domains.includes(link.domain) ? link.domain : "";
  if (domain !== app.scope) rescope(domain);
  await app.rows.linked();
  if (part) goTo(part);
}

/** Takes another state of the same report in, and keeps the place. */
async function swap(doc) {
  const report = await (await Report.from(doc)).open();
  const [page, list, detail, row] = [scrollY, app.rows.list.element.scrollTop, app.rows.detail.scrollTop, app.rows.open];
  const [old, focused] = [app.report, document.activeElement];
  app.report = report;
  if (!report.head.domains.includes(app.scope)) app.scope = "";
  drawOpening(report);
  drawScope(report);
  drawScoped();
  drawRest();
  const rows = (app.rows = new Rows(report, app.scope, rescope));
  if (row !== null) {
    const found = report.find(old.index.id[row], old.head.judges[old.index.judge[row]].name, old.index.order[row]);
    if (found >= 0) await rows.show(found, {relinked: false, scroll: detail});
  }
  rows.list.element.scrollTop = list;
  const again = focused.isConnected ? null : focused.id ? $(focused.id) : document.querySelector({list: ".list", detail: ".detail"}[focused.className] ?? "#none");
  again?.focus({preventScroll: true});
  if (again?.id === "filter-query") again.setSelectionRange(focused.selectionStart, focused.selectionEnd);
  scrollTo({top: page, behavior: "instant"});
}

function theme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try { chosen = localStorage.getItem("rationalerm-theme"); } catch { /* no storage here: the system's choice holds */ }
  const apply = () => {
    const now = chosen ?? (dark.matches ? "dark" : "light");
    document.documentElement.dataset.theme = now;
    $("theme").textContent = now === "dark" ? "Light" : "Dark";
    $("theme").setAttribute("aria-label", `Switch to the ${now === "dark" ? "light" : "dark"} theme`);
  };
  $("theme").addEventListener("click", () => {
    chosen = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try { localStorage.setItem("rationalerm-theme", chosen); } catch { /* as above */ }
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

async function start() {
  theme();
  const report = (app.report = await Report.from(document));
  readLink();
  app.scope = report.head.domains.includes(link.domain) ? link.domain : "";
  drawOpening(report);
  drawScope(report);
  drawScoped();
  drawRest();
  await report.open();
  $("rows").hidden = !report.index.id.length;
  if (report.index.category.includes(SPURIOUS)) filter.category = SPURIOUS;
  app.rows = new Rows(report, app.scope, rescope);
  drawNav();
  for (const event of ["popstate", "hashchange"]) addEventListener(event, followLink);
  addEventListener("keydown", (event) => app.rows.key(event));
  if (report.head.live) watch(report.head.stamp, swap, () => app.report.head.runs.every((run) => run.finished));
  performance.mark("rows ready");
  await followLink();
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => {
  $("failed").hidden = false;
  $("failed").textContent = `This report can’t be shown: ${error.message}`;
  console.error(error);
});
