import { $, node, api, attempt, bars, command, count, entered, follow, most, number, odds, on, percent, sentence, set, state, working } from "/studio.js";

const box = working("Training");
$("train-working").append(box);

const epsilon = () => Number($("train-epsilon").value);
const request = () => ({ choice: state.choice, epsilon: epsilon(), seeds: Number($("train-seeds").value) });

// settings shows what would be trained, and the command for it.
let asked = 0;
const settings = async () => {
  $("train-none").hidden = !!state.choice;
  $("train-ready").hidden = !state.choice;
  $("train-odds").textContent = epsilon() > 0 ? odds(epsilon()) : "";
  if (!state.choice) return;
  const turn = ++asked;
  try {
    const answer = await api("POST", "train/command", request());
    if (turn === asked) command($("train-command"), [...answer.command, "--out", "model"]);
  } catch {
    if (turn === asked) $("train-command").replaceChildren();
  }
};

const show = (t) => {
  set("run", t.run);
  const spread = t.low !== null ? ` (with 95\u00a0% confidence between ${percent(t.low)} and ${percent(t.high)})` : "";
  const better = t.accuracy > t.commonest + 0.005;
  $("train-sentence").textContent = `Of ${count(t.rows.test, "text", "texts")} that it had never seen, the receiver of a release told “${t.label}” rightly for ${percent(t.accuracy)}${spread}. ` +
    (better ? `Guessing the commonest class is right for ${percent(t.commonest)}.` : `That is no better than always guessing the commonest class, which is right for ${percent(t.commonest)}: choose a larger ε, or find more texts.`);
  $("train-sentence").className = better ? "good" : "problem";
  $("train-bars").replaceChildren(bars("Share of texts whose label is told rightly", [
    ["Without protection", t.nonprivate, "third"], ["Private, as trained", t.accuracy, "first"], ["Best possible release at this ε", t.limit, "second"], ["Always the commonest class", t.commonest, "fourth"],
  ]));
  $("train-leak").textContent = t.attribute && t.leakage !== null
    ? `The best attacker that was tried guessed “${t.attribute}” from the releases rightly for ${percent(t.leakage)}; whoever sees no release has ${percent(t.blind)}` + (t.leakage_limit !== null ? `, and no attacker at all can have more than ${most(t.leakage_limit)} on average.` : ".")
    : "";
  const facts = [
    ["Promise", t.guarantee], ["For a person", sentence(t.person || "")], ["Macro-F1", t.macro_f1 === null ? "" : `${percent(t.macro_f1)}: all classes counted alike, so that a small one that is never told shows`], ["Whom it covers", sentence(t.coverage)], ["Release", t.mechanism === "codes" ? `one of ${t.dim} codes` : `${count(t.dim, "number", "numbers")} with noise (${t.mechanism})`],
    ["Rows", `${t.rows.train.toLocaleString("en")} to train, ${t.rows.validation.toLocaleString("en")} to choose by, ${t.rows.test.toLocaleString("en")} to measure`],
    ["Time", `${number(t.seconds)} seconds`],
  ];
  $("train-facts").replaceChildren(...facts.filter(([, v]) => v).flatMap(([k, v]) => [node("dt", {}, k), node("dd", {}, v)]));
  $("train-notes").replaceChildren(...(t.notes || []).map((n) => node("li", {}, sentence(n))));
  $("train-kept").textContent = t.kept ? `Kept as ${t.kept} in the folder that --out names.` : "This model is forgotten when the studio ends, unless you download it or start the studio with --out.";
  $("train-result").hidden = false;
};

$("train-form").addEventListener("submit", (e) => {
  e.preventDefault();
  attempt($("train-go"), $("train-problem"), async () => {
    $("train-result").hidden = true;
    const { job } = await api("POST", "train/start", request());
    set("training", job);
    const result = await follow(job, box);
    if (!result) return;
    show(result);
    $("train-title").focus();
  });
});
$("train-epsilon").addEventListener("input", () => {
  if (epsilon() > 0) set("epsilon", epsilon());
  settings();
});
$("train-seeds").addEventListener("input", settings);
$("train-zip").addEventListener("click", () => attempt($("train-zip"), $("train-problem"), async () => {
  const { address } = await api("POST", "train/zip", { run: state.run });
  node("a", { href: address, download: "model.zip" }).click();
}));

on("choice", () => {
  set("training");
  set("run");
  $("train-result").hidden = true;
  settings();
});
on("epsilon", (v) => {
  if (epsilon() !== v) $("train-epsilon").value = v;
  settings();
});
$("train-epsilon").value = state.epsilon || 4;
entered.then(async () => {
  settings();
  if (state.training) { // that was begun before the page was loaded anew
    const result = await follow(state.training, box).catch(() => null);
    if (result) show(result);
    else set("training");
  }
});
