import { $, node, drawing, api, attempt, bars, command, entered, least, most, on, percent, quote, state, table, times } from "/studio.js";

// picture draws a vector as bars from a middle line.
const picture = (values) => {
  const top = Math.max(...values.map(Math.abs)) || 1;
  const svg = drawing("svg", { viewBox: `0 0 ${values.length} 40`, preserveAspectRatio: "none", class: "vector", role: "img", "aria-label": `${values.length} numbers with noise` });
  values.forEach((v, i) => {
    const h = (20 * Math.abs(v)) / top;
    svg.append(drawing("rect", { x: i + 0.1, y: v > 0 ? 20 - h : 20, width: 0.8, height: h, class: v > 0 ? "first" : "second" }));
  });
  return svg;
};

const show = (t) => {
  const coded = !!t.codes;
  $("try-draws").replaceChildren(...t.draws.map((d) => {
    const best = Math.max(...d.scores);
    return node("li", {}, coded ? node("b", {}, `code ${d.code}`) : picture(d.vector), node("span", {}, d.says), coded ? "" : node("span", { className: "soft" }, percent(best)));
  }));
  $("try-draws").className = coded ? "draws" : "draws wide";
  $("try-left").textContent = `A receiver gets ` + (coded ? `one of ${t.of} codes` : `${t.draws[0].vector.length} numbers drowned in noise`) + ` and reads “${t.label}” from it, not always rightly. The words themselves are not in it, and all that it hints at together is bounded by ε.`;
  const reads = t.classes.map((name, i) => [name, t.reads[i], "first"]).sort((x, y) => y[1] - x[1]).slice(0, 8);
  $("try-reads").replaceChildren(bars(`How releases of this text are read${t.exact ? "" : ", of 400"}`, reads));
  const e = Math.exp(t.epsilon), sure = e / (1 + e);
  $("try-odds").textContent = `Promise: ${t.guarantee}.` + (t.bound ? ` Whatever somebody thought of this text before, a release changes the odds at most ${times(e)}-fold. Who was undecided about anything in it, 50 to 50, is afterwards at most ${most(sure)} sure; who thought it 1 percent likely, at most ${most(e / (99 + e))}.` : "");
  $("try-law").replaceChildren(...(coded ? [node("details", {}, node("summary", {}, "Why no code gives a text away"), table("How likely each code is", ["Code", "Read as", "For this text", "For any text"],
    t.codes.map((c) => [String(c.index), c.says, percent(c.chance), `${least(c.least)} to ${most(c.most)}`])),
  node("p", { className: "soft" }, "“For this text” is as secret as the text, and shown on this machine alone. “For any text” is what protects: every text gives every code some chance, so that none can be ruled out."))] : []));
  $("try-result").hidden = false;
  $("try-status").textContent = `Released. Mostly read as ${reads[0][0]}, ${percent(reads[0][1])}.`;
};

const settings = () => {
  $("try-none").hidden = !!state.run;
  $("try-ready").hidden = !state.run;
  shell();
};
// shell shows how to release what is typed, and how to do it for others.
const shell = () => command($("try-command"), `printf '%s\\n' ${quote($("try-text").value || $("try-text").placeholder)} | sotto encode --model model`, ["gateway", "--model", "model/seed-1", "--page"]);

const release = () => attempt($("try-go"), $("try-problem"), async () => {
  $("try-result").hidden = true;
  show(await api("POST", "try/release", { run: state.run, text: $("try-text").value }));
});
$("try-form").addEventListener("submit", (e) => {
  e.preventDefault();
  release();
});
$("try-text").addEventListener("keydown", (e) => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
    e.preventDefault();
    release();
  }
});
$("try-text").addEventListener("input", shell);
on("run", () => {
  $("try-result").hidden = true;
  settings();
});
entered.then(settings);
