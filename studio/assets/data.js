import { $, node, api, attempt, command, count, table, set, state, entered } from "/studio.js";

const show = (u) => {
  $("data-understood").hidden = false;
  $("data-name").textContent = `${u.name}: ${count(u.rows, "row", "rows")}`;
  $("data-notes").replaceChildren(...u.notes.map((n) => node("li", {}, n)));
  $("data-columns").replaceChildren(table("Columns as they are understood", ["Column", "Kind", "Different values", "Empty"], u.columns.map((c) => [c.name, c.kind, String(c.distinct), String(c.empty)])));
  $("data-first").replaceChildren(table("The first rows", u.columns.map((c) => c.name), u.first));
  command($("data-command"), u.command);
  set("choice", u.choice);
};

$("data-sample").addEventListener("click", () => attempt($("data-sample"), $("data-problem"), async () => {
  show(await api("GET", "data/sample"));
  $("data-name").focus();
}));
entered.then(async () => {
  if (state.choice && state.choice.source === "reviews") show(await api("GET", "data/sample"));
});
