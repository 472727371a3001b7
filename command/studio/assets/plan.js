import { $, node, drawing, api, attempt, command, entered, follow, most, number, odds, on, percent, sentence, set, state, table, working } from "/studio.js";

const box = working("Planning");
$("plan-working").append(box);
let plan = null;

// lines are what the chart shows of each point of the curve, or of the whole plan.
const lines = [
  { kind: "first", name: "Private release", of: (p) => p.accuracy },
  { kind: "second", name: "Best possible release at this ε", of: (p) => p.limit },
  { kind: "third", name: "Without protection", of: () => plan.nonprivate, flat: true },
  { kind: "fourth", name: "Most that any attacker is right about", of: (p) => p.leakage_limit, attribute: true, show: most },
  { kind: "soft", name: "Always the commonest class", of: () => plan.majority, flat: true },
];
const shown = () => lines.filter((l) => !l.attribute || plan.data.attribute).map((l) => (l.attribute ? { ...l, name: `${l.name} “${plan.data.attribute}”` } : l));
const sample = (kind) => drawing("svg", { viewBox: "0 0 28 10", class: "sample", "aria-hidden": "true" }, drawing("line", { x1: 1, y1: 5, x2: 27, y2: 5, class: `line ${kind}` }));

// place is the place of an ε on the slider: the point of the curve that is nearest.
const place = (e) => plan.curve.reduce((best, p, i) => (Math.abs(Math.log(p.epsilon / e)) < Math.abs(Math.log(plan.curve[best].epsilon / e)) ? i : best), 0);
// insert puts a point among those of the curve and moves the slider there.
const insert = (p) => {
  if (!plan.curve.some((q) => q.epsilon === p.epsilon)) plan.curve = [...plan.curve, p].sort((a, b) => a.epsilon - b.epsilon);
  $("plan-epsilon").max = plan.curve.length - 1;
  $("plan-epsilon").value = place(p.epsilon);
};
const point = () => plan.curve[Number($("plan-epsilon").value)];

// draw draws the curves as wide as there is room, ε on a logarithmic axis.
const draw = () => {
  const at = $("plan-chart");
  const width = Math.max(260, at.clientWidth), height = width < 500 ? 240 : 300, left = 44, right = 12, top = 10, bottom = 40;
  const first = plan.curve[0].epsilon, last = plan.curve.at(-1).epsilon;
  const values = shown().flatMap((l) => plan.curve.map(l.of)).filter((v) => v !== null);
  const low = Math.max(0, Math.floor(10 * Math.min(...values) - 0.3) / 10);
  const x = (e) => left + ((width - left - right) * Math.log(e / first)) / Math.log(last / first);
  const y = (v) => top + ((height - top - bottom) * (1 - v)) / (1 - low);
  const svg = drawing("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Chart of shares of right answers by ε, from ${first} to ${last}. The same values are in the table below.` });
  for (let v = low; v < 1.0001; v += 1 - low > 0.55 ? 0.2 : 0.1) {
    svg.append(drawing("line", { x1: left, x2: width - right, y1: y(v), y2: y(v), class: "grid" }), drawing("text", { x: left - 6, y: y(v) + 4, "text-anchor": "end" }, `${Math.round(100 * v)} %`));
  }
  for (const e of [0.25, 0.5, 1, 2, 4, 8, 16].filter((e) => e >= first && e <= last)) {
    svg.append(drawing("line", { x1: x(e), x2: x(e), y1: height - bottom, y2: height - bottom + 5, class: "tick" }), drawing("text", { x: x(e), y: height - bottom + 19, "text-anchor": "middle" }, String(e)));
  }
  svg.append(drawing("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, "ε"));
  const here = point();
  svg.append(drawing("line", { x1: x(here.epsilon), x2: x(here.epsilon), y1: top, y2: height - bottom, class: "here" }));
  for (const l of shown()) {
    const d = plan.curve.map((p, i) => [p.epsilon, l.of(p), i]).filter(([, v]) => v !== null).map(([e, v], i) => `${i ? "L" : "M"}${x(e).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    if (d) svg.append(drawing("path", { d, class: `line ${l.kind}` }));
  }
  for (const l of shown()) if (l.of(here) !== null) svg.append(drawing("circle", { cx: x(here.epsilon), cy: y(l.of(here)), r: 4.5, class: `dot ${l.kind}` }));
  at.replaceChildren(svg);
};

// move shows the values at the slider's place. It asks nobody.
const move = () => {
  const p = point(), slider = $("plan-epsilon");
  $("plan-here").textContent = `ε = ${p.epsilon}`;
  slider.setAttribute("aria-valuetext", `ε = ${p.epsilon}, ${percent(p.accuracy)} right`);
  $("plan-sentence").className = p.better_than_majority ? "good" : "problem";
  $("plan-sentence").textContent = `At ε = ${p.epsilon}, the receiver tells “${plan.data.label}” rightly for ${percent(p.accuracy)} of texts (with 95\u00a0% confidence between ${percent(p.low)} and ${percent(p.high)})` + (p.better_than_majority
    ? `; without protection it would be ${percent(plan.nonprivate)}, by always naming the commonest class ${percent(plan.majority)}.`
    : `, which is no better than always naming the commonest class (${percent(plan.majority)}). Such a release is worth nothing.`);
  $("plan-odds").textContent = odds(p.epsilon);
  const texts = Math.floor(Number($("plan-texts").value));
  $("plan-together").textContent = texts > 1 ? `Together they give away at most ε = ${number(texts * p.epsilon)} a day. ${odds(texts * p.epsilon)}` : "What several texts give away adds up.";
  $("plan-legend").replaceChildren(...shown().map((l) => node("li", {}, sample(l.kind), node("span", {}, l.name), node("b", {}, (l.show || percent)(l.of(p))))),
    ...(p.macro_f1 !== null ? [node("li", {}, node("span", { className: "sample" }), node("span", {}, "All classes counted alike (macro-F1)"), node("b", {}, percent(p.macro_f1)))] : []));
  draw();
};

const show = (result) => {
  plan = result;
  $("plan-epsilon").max = plan.curve.length - 1;
  $("plan-epsilon").value = place(state.epsilon || 4);
  set("epsilon", point().epsilon);
  const names = shown();
  $("plan-table").replaceChildren(table("What each ε leaves", ["ε", ...names.map((l) => l.name), "Macro-F1"], plan.curve.map((p) => [String(p.epsilon), ...names.map((l) => (l.show || percent)(l.of(p))), percent(p.macro_f1)])));
  $("plan-notes").replaceChildren(...[plan.sentence, ...(plan.notes || [])].map((n) => node("li", {}, sentence(n))));
  $("plan-found").textContent = "";
  $("plan-result").hidden = false;
  move();
};

let asked = 0;
const settings = async () => {
  $("plan-none").hidden = !!state.choice;
  $("plan-ready").hidden = !state.choice;
  if (!state.choice) return;
  const turn = ++asked;
  try {
    const answer = await api("POST", "plan/command", state.choice);
    if (turn === asked) command($("plan-command"), answer.command);
  } catch {
    if (turn === asked) $("plan-command").replaceChildren();
  }
};

$("plan-go").addEventListener("click", () => attempt($("plan-go"), $("plan-problem"), async () => {
  const { job } = await api("POST", "plan/start", state.choice);
  set("planning", job);
  const result = await follow(job, box);
  if (!result) return;
  show(result);
  $("plan-title").focus();
}));
$("plan-epsilon").addEventListener("input", () => {
  set("epsilon", point().epsilon);
  move();
});
$("plan-form").addEventListener("submit", (e) => {
  e.preventDefault();
  attempt($("plan-find"), $("plan-problem"), async () => {
    const target = Number($("plan-target").value) / 100;
    const answer = await api("POST", "plan/target", { plan: plan.plan, target });
    if (answer.epsilon === null) {
      $("plan-found").textContent = answer.reason;
      return;
    }
    insert(answer.reached);
    set("epsilon", answer.epsilon);
    $("plan-found").textContent = `${percent(target)} is reached from ε = ${number(answer.epsilon)} on, which is now chosen. ${answer.choice}`;
    move();
  });
});
on("choice", () => {
  plan = null;
  set("planning");
  $("plan-result").hidden = true;
  settings();
});
$("plan-texts").addEventListener("input", () => plan && move());
addEventListener("resize", () => plan && draw());
on("tab", (name) => name === "plan" && plan && draw());
entered.then(async () => {
  settings();
  if (!state.planning) return;
  const result = await follow(state.planning, box).catch(() => null); // begun before the page was loaded anew
  if (result) show(result);
  else set("planning");
});
