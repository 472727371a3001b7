import { $, api, attempt, command, entered, on, state } from "/studio.js";

const parts = ["report-frame", "report-window", "report-save"];
const settings = () => {
  $("report-none").hidden = !!state.run;
  $("report-ready").hidden = !state.run;
  for (const id of parts) $(id).hidden = true;
  command($("report-command"), ["report", "model", "--out", "report.html"]);
};
$("report-go").addEventListener("click", () => attempt($("report-go"), $("report-problem"), async () => {
  const { address } = await api("POST", "report/open", { run: state.run });
  $("report-frame").src = $("report-window").href = $("report-save").href = address;
  for (const id of parts) $(id).hidden = false;
}));
on("run", settings);
entered.then(settings);
