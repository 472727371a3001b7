import { $, node, api, attempt, bars, command, count, entered, sentence, set, state, table } from "/studio.js";

const roles = [...document.querySelectorAll("#data-roles select")];
let data = null;

// classes shows how the label's classes are spread.
const classes = () => {
  const label = data.columns.find((c) => c.name === (state.choice || {}).label);
  const all = (label && label.classes) || [];
  const sum = all.reduce((n, c) => n + c.rows, 0);
  const most = 12;
  $("data-classes").replaceChildren(...(sum ? [bars(`Classes of “${label.name}”`, all.slice(0, most).map((c) => [c.name || "(empty)", c.rows / sum, "first"]))] : []),
    ...(all.length > most ? [node("p", { className: "soft" }, `and ${all.length - most} more`)] : []));
};

// choose keeps what the selects say.
const choose = () => {
  const choice = { source: data.source };
  for (const s of roles) if (s.value) choice[s.dataset.role] = s.value;
  set("choice", choice);
  $("data-next").setAttribute("aria-disabled", !(choice.text && choice.label));
  classes();
};

const show = (u, choice) => {
  data = u;
  $("data-understood").hidden = false;
  $("data-name").textContent = `${u.name}: ${count(u.rows, "row", "rows")}`;
  for (const [id, lines] of [["data-warnings", u.warnings], ["data-notes", u.notes]]) {
    $(id).replaceChildren(...(lines || []).map((n) => node("li", {}, sentence(n))));
    $(id).hidden = !(lines || []).length;
  }
  $("data-first").replaceChildren(table("The first rows", u.columns.map((c) => c.name), u.examples || [], false));
  $("data-columns").replaceChildren(table("Columns", ["Column", "Kind", "Different values", "Empty"],
    u.columns.map((c) => [c.name, c.kind, (c.estimate ? "about " : "") + c.distinct.toLocaleString("en"), c.empty.toLocaleString("en")])));
  for (const s of roles) {
    const none = s.hasAttribute("data-optional") ? "none" : "choose a column";
    s.replaceChildren(node("option", { value: "" }, none), ...u.columns.map((c) => node("option", { value: c.name }, `${c.name} (${c.kind})`)));
    s.value = choice[s.dataset.role] || "";
  }
  command($("data-command"), ...u.commands);
  choose();
};

const take = (file) => attempt($("data-sample"), $("data-problem"), async () => {
  $("data-understood").hidden = true;
  $("data-working").hidden = false;
  try {
    const u = await api("POST", `data/upload?name=${encodeURIComponent(file.name)}`, file, true);
    show(u, u.choice);
    $("data-name").focus();
  } finally {
    $("data-working").hidden = true;
    $("data-file").value = "";
  }
});

for (const s of roles) s.addEventListener("change", choose);
// What is suspicious depends on parts and persons.
for (const id of ["data-split", "data-person"]) $(id).addEventListener("change", () => attempt($(id), $("data-problem"), async () => {
  const c = state.choice;
  const u = await api("GET", `data/again?${new URLSearchParams({ source: c.source, split: c.split || "", person: c.person || "" })}`);
  if (state.choice.source === u.source) show(u, state.choice);
}));
$("data-sample").addEventListener("click", () => attempt($("data-sample"), $("data-problem"), async () => {
  const u = await api("POST", "data/sample");
  show(u, u.choice);
  $("data-name").focus();
}));
$("data-file").addEventListener("change", () => $("data-file").files[0] && take($("data-file").files[0]));
const drop = $("data-drop");
for (const name of ["dragover", "drop"]) addEventListener(name, (e) => e.preventDefault()); // a file beside the box is not opened
addEventListener("dragover", () => drop.classList.add("over"));
for (const name of ["dragleave", "drop"]) addEventListener(name, () => drop.classList.remove("over"));
addEventListener("drop", (e) => e.dataTransfer.files[0] && take(e.dataTransfer.files[0]));

entered.then(async () => {
  try {
    const kept = state.choice;
    const u = kept ? await api("GET", `data/again?source=${encodeURIComponent(kept.source)}`) : await api("GET", "data/first");
    if (u) show(u, kept || u.choice);
  } catch {
    set("choice"); // the studio was started anew and knows nothing of it
  }
});
