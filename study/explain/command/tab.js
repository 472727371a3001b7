import { $, node, api, attempt, command, count, entered, number, on, percent, quote, state, table } from "/studio.js";

// The text as bytes: places of words are bytes, letters of JavaScript are not.
const bytes = new TextEncoder(), letters = new TextDecoder();
const cut = (raw, from, to) => letters.decode(raw.subarray(from, to));

let asked = null; // what is shown was asked for so

// strength says how strongly a word stands out, from 0 to 4.
const strength = (w, top) => (top === 0 || Math.abs(w) < 0.02 * top ? 0 : Math.min(4, 1 + Math.floor((4 * Math.abs(w)) / top)));

const signed = (w) => (w > 0 ? "+" : w < 0 ? "−" : "") + Math.abs(w).toFixed(3);

const show = (e, q) => {
  const raw = bytes.encode(q.text), top = Math.max(0, ...e.tokens.map((t) => Math.abs(t.weight)));
  const parts = [];
  let at = 0;
  for (const t of e.tokens) {
    parts.push(cut(raw, at, t.start));
    const s = strength(t.weight, top), side = s === 0 ? "" : t.weight > 0 ? `for s${s}` : `against s${s}`;
    const label = `${t.text}, ${signed(t.weight)}: ${s === 0 ? "speaks for neither" : t.weight > 0 ? `speaks for ${e.class}` : `speaks against ${e.class}`}`;
    const word = node("button", { type: "button", className: `word ${side}`, title: signed(t.weight), "aria-label": label, "aria-pressed": "false" }, t.text);
    word.addEventListener("click", () => swaps(word, t));
    parts.push(word);
    at = t.end;
  }
  parts.push(cut(raw, at, raw.length));
  $("explain-words").replaceChildren(...parts);
  $("explain-legend").textContent = `A solid line speaks for “${e.class}”, a dotted line against it; the stronger the colour, the more. Click a word for others that would change the answer.`;
  const facts = [["Answer", `${e.prediction}, ${percent(e.probability)}`], [e.method === "influence" ? "By chance" : "Without a word", percent(e.base)]];
  if (e.method === "influence") facts.push(["Weights", "what the student says, from −1 to 1"]);
  facts.push(["Check", e.check_limit ? `adds up to within ${number(e.check)}` : `what weights leave unexplained: ${e.check.toFixed(3)}`]);
  if (e.local) facts.push(["Local fit", `R² = ${e.local.r2.toFixed(3)}; ${e.local.runs} runs share ${percent(e.local.agreement)} of their strongest words`]);
  if (e.noise) facts.push(["Noise alone", `flips ${percent(e.noise.flips)} of answers${e.noise.exact ? "" : ` (± ${percent(e.noise.error)})`}; most receivers read “${e.noise.likeliest}”`]);
  $("explain-facts").replaceChildren(...facts.flatMap(([k, v]) => [node("dt", {}, k), node("dd", {}, v)]));
  const strongest = [...e.tokens].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, 10);
  $("explain-table").replaceChildren(node("details", {}, node("summary", {}, "The weights as numbers"), table("Strongest words", ["Word", "Weight", "Speaks"], strongest.map((t) => [t.text, signed(t.weight), t.weight > 0 ? `for ${e.class}` : t.weight < 0 ? `against ${e.class}` : "neither"]))));
  $("explain-swaps").replaceChildren();
  $("explain-result").hidden = false;
  $("explain-status").textContent = `Answer: ${e.prediction}. The strongest word is ${strongest[0].text}.`;
};

// Parts of speech as people say them.
const parts = { NOUN: "noun", PROPN: "proper noun", VERB: "verb", AUX: "auxiliary verb", ADJ: "adjective", ADV: "adverb", PRON: "pronoun", DET: "determiner", ADP: "preposition", NUM: "number" };
const kind = (part) => (parts[part] ? ` (${parts[part]})` : "");

// student says whether a student of the model is at hand, and what comes from it.
let learnt = false;
const places = { beside: "beside it", usual: "in your cache" };
const student = async () => {
  const run = state.run;
  let got = { place: "" };
  try {
    if (run) got = await api("POST", "explain/student", { run });
  } catch (e) {
    got.problem = e.message;
  }
  if (run !== state.run) return;
  learnt = !!got.place;
  const option = $("explain-influence");
  option.hidden = option.disabled = !learnt;
  if (learnt) $("explain-method").value = "influence";
  else if ($("explain-method").value === "influence") $("explain-method").value = "shap";
  $("explain-student").hidden = !learnt && !got.problem;
  $("explain-student").textContent = learnt
    ? `A student of this model lies ${places[got.place]}. Influence and replacements come from it, and the model itself checks every replacement. Of ${percent(got.all_correct)} of validation texts, it answers as the model does whichever word is masked.`
    : got.problem ? `The student of this model cannot be asked: ${got.problem}` : "";
  shell();
};

// tried says which words were tried.
const tried = (got) => {
  if (got.proposed) return `Of ${count(got.proposed, "word", "words")} of the same part of speech${kind(got.part)} that the student expects to change the answer, the ${got.asked.toLocaleString("en")} surest were tried on the model itself, and ${got.flips.toLocaleString("en")} do.`;
  return `${learnt ? "The student knows none that does. " : ""}Of ${count(got.asked, "word", "words")} that were tried on the model itself, ${got.flips.toLocaleString("en")} change the answer; these are the surest ones of the same part of speech${kind(got.part)}.`;
};

// swaps shows which other words in place of one would change the answer.
const swaps = (word, t) => attempt(word, $("explain-problem"), async () => {
  for (const w of $("explain-words").querySelectorAll("button")) w.setAttribute("aria-pressed", String(w === word));
  $("explain-swaps").replaceChildren(node("p", { className: "soft" }, "Trying other words …"));
  const got = await api("POST", "explain/swaps", { ...asked, start: t.start, end: t.end });
  const title = `In place of “${t.text}”`;
  if (!got.swaps.length) {
    $("explain-swaps").replaceChildren(node("h3", {}, title), node("p", {}, got.flips ? `Of ${count(got.asked, "word", "words")} that were tried on the model itself, ${got.flips.toLocaleString("en")} change the answer “${got.answer}”, but the surest of them are no words of the same part of speech${kind(got.part)}.` : `None of ${count(got.asked, "word", "words")} that were tried on the model itself changes the answer “${got.answer}”.`));
    return;
  }
  const rows = got.swaps.map((s) => [s.word, s.prediction, percent(s.probability)]);
  $("explain-swaps").replaceChildren(node("h3", {}, title),
    node("p", { className: "soft" }, tried(got)),
    table(`Words that change the answer “${got.answer}”`, ["Word", "Answer then", `“${got.answer}” then`], rows));
});

const settings = () => {
  $("explain-none").hidden = !!state.run;
  $("explain-ready").hidden = !state.run;
  shell();
};
const shell = () => command($("explain-command"), `printf '%s\\n' ${quote($("explain-text").value || $("explain-text").placeholder)} | sotto explain --model model --method ${$("explain-method").value} --view ${$("explain-view").value}`);

const explain = () => attempt($("explain-go"), $("explain-problem"), async () => {
  $("explain-result").hidden = true;
  asked = { run: state.run, text: $("explain-text").value, method: $("explain-method").value, view: $("explain-view").value };
  const q = asked;
  show(await api("POST", "explain/words", q), q);
});
$("explain-form").addEventListener("submit", (e) => {
  e.preventDefault();
  explain();
});
$("explain-text").addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
    e.preventDefault();
    explain();
  }
});
for (const id of ["explain-text", "explain-method", "explain-view"]) $(id).addEventListener("input", shell);
on("run", () => {
  $("explain-result").hidden = true;
  settings();
  student();
});
entered.then(settings).then(student);
