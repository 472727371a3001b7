import { $, Refused, node, drawing, api, attempt, command, count, entered, follow, number, on, percent, sentence, set, state, table, working } from "/studio.js";

const box = working("Finding errors");
$("errors-working").append(box);
const roles = [...document.querySelectorAll("#errors-roles select")];
let found = null, columns = [];

// guess names the columns that are most likely meant.
const guess = { predicted: /^(y_?hat|pred.*|answer|output|guess)$/i, confidence: /^(conf.*|prob.*|score|certainty)$/i, label: /^(label|class|gold|truth|target|y)$/i, text: /^(text|tweet|message|review|sentence|body|comment)$/i };

const chosen = () => {
  const c = { source: state.choice.source };
  for (const s of roles) if (s.value) c[s.dataset.role] = s.value;
  return c;
};

// offer fills the selects with the columns of the file.
const offer = () => {
  const before = state.errors || {};
  for (const s of roles) {
    const role = s.dataset.role;
    const proposed = before[role] || columns.find((c) => guess[role] && guess[role].test(c)) || (role === "text" || role === "label" ? state.choice[role] : role === "group" ? state.choice.attribute : "");
    s.replaceChildren(...("optional" in s.dataset || role === "predicted" ? [node("option", { value: "" }, role === "predicted" ? "Choose a column" : "None")] : []),
      ...columns.map((c) => node("option", { value: c, selected: c === proposed }, c)));
  }
};

const settings = async () => {
  $("errors-none").hidden = !!state.choice;
  $("errors-ready").hidden = !state.choice;
  if (!state.choice) return;
  try {
    const u = await api("GET", `data/again?source=${encodeURIComponent(state.choice.source)}`);
    columns = u.columns.map((c) => c.name);
    $("errors-name").textContent = `${u.name}: ${count(u.rows, "row", "rows")}`;
    offer();
    said();
  } catch {
    $("errors-ready").hidden = true;
    $("errors-none").hidden = false;
  }
};

// said shows the command that does the same.
const said = async () => {
  $("errors-go").setAttribute("aria-disabled", !chosen().predicted);
  try {
    command($("errors-command"), ...(await api("POST", "errors/command", chosen())).commands);
  } catch {
    $("errors-command").replaceChildren();
  }
};

// shade is one of ten classes, which the style sheet colours.
const shade = (share, most) => `heat heat-${Math.max(0, Math.min(9, Math.floor((10 * share) / (most || 1))))}`;

// tree draws the error tree as a list in lists, a bar of errors at each place.
const branch = (n, most) => node("li", {},
  node("div", { className: "branch" }, node("span", {}, n.rule), node("span", { className: "soft" }, `${count(n.size, "text", "texts")}, ${percent(n.error_rate)} wrong`),
    drawing("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" }, drawing("rect", { class: "ground", width: 100, height: 6 }), drawing("rect", { class: "second", width: 100 * n.error_rate, height: 6 }))),
  n.children && n.children.length ? node("ul", {}, ...n.children.map((c) => branch(c, most))) : "");

const heat = (h) => {
  if (!h) return $("errors-heat").replaceChildren();
  const most = Math.max(...h.cells.flat().filter((c) => c.rows).map((c) => c.error_rate), 0);
  $("errors-heat").replaceChildren(node("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Share of errors by two features" },
    node("table", { className: "heats" }, node("caption", {}, `Share of wrong answers by “${h.columns.feature}” across and “${h.rows.feature}” down; in brackets the number of texts`),
      node("thead", {}, node("tr", {}, node("td", {}), ...h.columns.names.map((c) => node("th", { scope: "col" }, c)))),
      node("tbody", {}, ...h.rows.names.map((r, i) => node("tr", {}, node("th", { scope: "row" }, r), ...h.cells[i].map((c) => (c.rows ? node("td", { className: shade(c.error_rate, most) }, `${percent(c.error_rate)} (${c.rows})`) : node("td", { className: "soft" }, "–")))))))));
};

// apart keeps both selects from naming the same feature.
const apart = () => {
  for (const [id, other] of [["errors-across", "errors-down"], ["errors-down", "errors-across"]]) for (const o of $(id).options) o.disabled = o.value === $(other).value;
};

let turn = 0;
const askHeat = async () => {
  apart();
  const mine = ++turn;
  $("errors-problem").hidden = true;
  try {
    const h = await api("POST", "errors/heat", { study: found.study, across: $("errors-across").value, down: $("errors-down").value });
    if (mine === turn) heat(h); // else another was chosen meanwhile
  } catch (e) {
    if (!(e instanceof Refused)) throw e;
    $("errors-problem").textContent = e.message;
    $("errors-problem").hidden = false;
  }
};

// likely shows a text with what speaks for an error marked in it.
const likely = (l) => {
  const most = Math.max(...(l.segments || []).map((s) => s.weight || 0), 0);
  return node("li", {},
    node("p", { className: "worktext" }, ...(l.segments || []).map((s) => (s.weight > 0 ? node("mark", { className: shade(s.weight, most), title: (s.features || []).join(", ") }, s.text) : s.text))),
    node("p", { className: "soft" }, node("b", {}, `${percent(l.chance)} likely wrong`), ` · row ${l.row} · answered “${l.predicted}”` + (l.label ? `, true label “${l.label}”${l.label === l.predicted ? "" : ": wrong"}` : ", no label yet")),
    node("p", { className: "soft" }, ...l.reasons.map((r) => node("span", { className: "reason" }, r.words))));
};

const show = (result) => {
  found = result;
  $("errors-sentence").textContent = sentence(found.sentence);
  $("errors-tree").replaceChildren(node("ul", { className: "tree" }, branch(found.tree, found.tree.error_rate)));
  $("errors-cohorts").replaceChildren(table("Cohorts, the worst first", ["Which texts", "Texts", "Wrong", "95 % interval on rows held out", "Share of all errors"], found.cohorts.map((c) => [c.rule, c.size.toLocaleString("en"), percent(c.error_rate), `${percent(c.held_out.low)} to ${percent(c.held_out.high)}`, percent(c.share)])));
  for (const [id, i] of [["errors-across", 0], ["errors-down", 1]]) $(id).replaceChildren(...found.choices.map((f, k) => node("option", { value: f, selected: k === i }, f)));
  apart();
  heat(found.heat);
  $("errors-about").textContent = found.about;
  $("errors-list").replaceChildren(...found.likely.map(likely));
  $("errors-rankers").replaceChildren(table(`Of the texts that each ranking puts first, the share that is wrong; mean over ${found.splits} splits of balanced rows`, ["Ranking", ...found.ks.map((k) => `First ${k}`), "AUC"], found.rankers.map((r) => [r.name, ...found.ks.map((k) => (r.p_at[k] ? `${percent(r.p_at[k].mean)} ± ${percent(r.p_at[k].sd)}` : "–")), number(r.auc)])));
  $("errors-features").replaceChildren(table("Features by how much errors are worse told without them", ["Feature", "Kind", "Importance"], found.features.map((f) => [f.name, f.group, number(f.importance)])));
  $("errors-notes").replaceChildren(...(found.notes || []).map((n) => node("li", {}, sentence(n))));
  $("errors-result").hidden = false;
};

for (const s of roles) s.addEventListener("change", () => {
  set("errors", chosen());
  said();
});
$("errors-go").addEventListener("click", () => attempt($("errors-go"), $("errors-problem"), async () => {
  set("errors", chosen());
  const { job } = await api("POST", "errors/start", chosen());
  set("finding", job);
  const result = await follow(job, box);
  if (!result) return;
  show(result);
  $("errors-title").focus();
}));
for (const id of ["errors-across", "errors-down"]) $(id).addEventListener("change", askHeat);
on("choice", () => {
  found = null;
  set("finding");
  set("errors");
  $("errors-result").hidden = true;
  settings();
});
entered.then(async () => {
  await settings();
  if (!state.finding) return;
  const result = await follow(state.finding, box).catch(() => null); // begun before the page was loaded anew
  if (result) show(result);
  else set("finding");
});
