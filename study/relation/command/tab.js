import { $, node, api, attempt, command, count, entered, follow, percent, set, state, table, working } from "/studio.js";

const box = working("Reading");
$("relations-working").append(box);
let view = null; // the rules under review
let own = ""; // a file of rules; "" for those that are built in
let mine = "", mineName = "sentences.jsonl"; // a file of sentences; "" for a data set
let page = { rule: "", found: 10, missed: 10 };
let edits = 0; // counts them, so that an old answer never hides a new one

const ask = (what, more = {}) => api("POST", `relations/${what}`, { review: view.review, page, ...more });
const rulesFlag = () => (own || (view && changed()) ? ["--rules", "mine.rules"] : []);
const settings = () => command($("relations-command"), $("relations-data").value === ""
  ? ["relations", "train", "--data", mineName, ...rulesFlag(), "--out", "model"]
  : ["relations", "rules", "--data", $("relations-data").value, ...rulesFlag(), "--part", $("relations-part").value]);
const changed = () => view.rules.some((r) => r.edited || r.rejected);
const arrow = (a, b) => (a === b ? percent(a) : `${percent(a)} → ${percent(b)}`);

// sentence shows the words of a sentence with its arguments marked. Marks are told by
// words, too, not by colour alone.
const sentence = (s) => node("p", { className: "sentence" }, ...s.parts.map((p) => (p.role ? node("mark", { className: p.role }, p.text, node("small", {}, ` ${p.role}${p.type ? `, ${p.type}` : ""}`)) : p.text)));

// judged says whether a finding is right and by whom, and takes a verdict.
const judged = (s) => {
  const about = s.parts.filter((p) => p.role).map((p) => p.text).join(" and ");
  const verdict = (words, say) => {
    const b = node("button", { type: "button", className: "plain", "aria-label": `${words}: ${about}`, "aria-pressed": s.said === say }, words);
    b.addEventListener("click", () => attempt(b, $("relations-problem"), async () => {
      show(await ask("judge", { finding: { instance: s.instance, relation: s.relation }, say: s.said === say ? "nothing" : say }));
      $("relations-rule-name").focus();
    }));
    return b;
  };
  const said = s.said !== "nothing" ? `You said that this is ${s.said}.` : s.right ? "Right, says the data." : `Wrong: the data says ${s.truth || "no relation"}.`;
  return [node("p", { className: "soft" }, said, s.rules.length ? ` Also found by ${s.rules.join(", ")}.` : ""), node("div", { className: "row" }, verdict("Accept", "right"), verdict("Reject", "wrong"))];
};
const card = (s) => node("li", { className: "box" }, sentence(s), ...judged(s));

const scores = (v) => table("Found with these rules, in percent", ["relation", "precision", "recall", "F1", "right", "wrong", "missed"],
  [...v.relations.map((r) => [r.name, percent(r.precision), percent(r.recall), percent(r.f1), r.right, r.wrong, r.missed]),
    ["all", arrow(v.first.precision, v.now.precision), arrow(v.first.recall, v.now.recall), arrow(v.first.f1, v.now.f1), v.now.right, v.now.wrong, v.now.missed]]);

const choices = () => {
  const kind = view.rule.relation;
  $("relations-kind").replaceChildren(...[...new Set(view.rules.map((r) => r.relation))].sort().map((k) => node("option", { value: k, selected: k === kind }, k)));
  $("relations-rule").replaceChildren(...view.rules.filter((r) => r.relation === kind).map((r) => node("option", { value: r.name, selected: r.name === view.rule.name }, `${r.name}: ${r.right} right, ${r.wrong} wrong${r.rejected ? ", rejected" : ""}`)));
};

const show = (v) => {
  view = v;
  page.rule = v.rule.name;
  set("relations", { review: v.review, page, data: $("relations-data").value, part: $("relations-part").value, own: own !== "" });
  $("relations-said").textContent = `${count(v.rules.filter((r) => !r.rejected).length, "rule", "rules")} on ${count(v.pairs, "pair", "pairs")} of entities: ${percent(v.now.precision)} of what they find is right, and they find ${percent(v.now.recall)} of what there is.` + (v.verdicts ? ` With ${count(v.verdicts, "verdict", "verdicts")} of yours.` : "");
  $("relations-scores").replaceChildren(scores(v));
  choices();
  $("relations-rule-name").textContent = `${v.rule.name}: ${v.rule.relation}${v.rule.rejected ? ", rejected" : ""}`;
  $("relations-comment").textContent = (v.rule.comment || []).join(" ");
  $("relations-tests").replaceChildren(...(v.tests.length ? v.tests.map((t) => node("li", {}, node("code", {}, t))) : [node("li", { className: "soft" }, "none")]));
  $("relations-found").replaceChildren(...(v.found.length ? v.found.map(card) : [node("li", { className: "box soft" }, "Nothing.")]));
  $("relations-missed").replaceChildren(...(v.missed.length ? v.missed.map((s) => node("li", { className: "box" }, sentence(s))) : [node("li", { className: "box soft" }, "Nothing.")]));
  $("relations-more-found").hidden = v.found.length >= v.of[0];
  $("relations-more-missed").hidden = v.missed.length >= v.of[1];
  $("relations-reject").textContent = v.rule.rejected ? "Accept the rule again" : "Reject the rule";
  $("relations-new-kind").value ||= v.rule.relation;
  back();
  $("relations-result").hidden = false;
  settings();
};

// back forgets an edit.
const back = () => {
  edits++;
  $("relations-pattern").value = view.rule.pattern;
  $("relations-fault").hidden = true;
  $("relations-change").replaceChildren();
  $("relations-keep").hidden = $("relations-undo").hidden = true;
};

// tried shows what an edit would change.
const tried = (c) => {
  const list = (words, some, of) => of && node("details", { open: of < 6 }, node("summary", {}, `${words}: ${count(of, "pair", "pairs")}`), node("ol", { className: "cards" }, ...some.map((s) => node("li", { className: "box" }, sentence(s), node("p", { className: "soft" }, s.right ? "Right." : `Wrong: the data says ${s.truth || "no relation"}.`)))));
  $("relations-change").replaceChildren(
    table("What the edit changes", ["", "precision", "recall", "F1"], [["the rule alone", arrow(c.rule[0].precision, c.rule[1].precision), "", ""], [view.rule.relation, ...["precision", "recall", "f1"].map((k) => arrow(c.relation[0][k], c.relation[1][k]))], ["all", ...["precision", "recall", "f1"].map((k) => arrow(c.before[k], c.after[k]))]]),
    ...[list("Newly found", c.gained, c.of[0]), list("No longer found", c.lost, c.of[1])].filter(Boolean),
    c.dropped.length ? node("p", {}, `${count(c.dropped.length, "sentence", "sentences")} beside the rule would no longer hold and be dropped: `, ...c.dropped.map((d) => node("code", {}, d, " "))) : "");
  $("relations-keep").hidden = false;
};

let pause = 0;
const edit = () => {
  clearTimeout(pause);
  const mine = ++edits, pattern = $("relations-pattern").value;
  if (pattern.trim() === view.rule.pattern) return back();
  $("relations-undo").hidden = false;
  pause = setTimeout(async () => {
    try {
      const c = await ask("try", { pattern });
      if (mine !== edits) return;
      $("relations-fault").hidden = true;
      tried(c);
    } catch (e) {
      if (mine !== edits) return;
      $("relations-keep").hidden = true;
      $("relations-fault").textContent = e.message;
      $("relations-fault").hidden = false;
    }
  }, 300);
};
$("relations-pattern").addEventListener("input", edit);
$("relations-undo").addEventListener("click", () => {
  back();
  $("relations-pattern").focus();
});
const act = (id, f, to = "relations-rule-name") => $(id).addEventListener("click", () => attempt($(id), $("relations-problem"), async () => {
  show(await f());
  if (to) $(to).focus();
}));
act("relations-keep", () => ask("keep", { pattern: $("relations-pattern").value }));
act("relations-reject", () => ask("reject", { rejected: !view.rule.rejected }));
act("relations-more-found", () => ((page.found += 20), ask("show")), "");
act("relations-more-missed", () => ((page.missed += 20), ask("show")), "");
const choose = (name) => attempt($("relations-rule"), $("relations-problem"), async () => {
  page = { rule: name, found: 10, missed: 10 };
  show(await ask("show"));
});
$("relations-rule").addEventListener("change", () => choose($("relations-rule").value));
$("relations-kind").addEventListener("change", () => choose(view.rules.find((r) => r.relation === $("relations-kind").value).name));
$("relations-form").addEventListener("submit", (e) => {
  e.preventDefault();
  attempt($("relations-add"), $("relations-problem"), async () => {
    const name = $("relations-new-name").value.trim();
    show(await api("POST", "relations/add", { review: view.review, page: { rule: name, found: 10, missed: 10 }, finding: { instance: 0, relation: $("relations-new-kind").value.trim() }, pattern: $("relations-new-pattern").value }));
    $("relations-new-name").value = $("relations-new-pattern").value = "";
    $("relations-rule-name").focus();
  });
});
$("relations-save").addEventListener("click", () => attempt($("relations-save"), $("relations-problem"), async () => {
  const f = await ask("export", { tests: $("relations-with").checked });
  const address = URL.createObjectURL(new Blob([f.text], { type: "text/plain" }));
  node("a", { href: address, download: f.name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}));

const named = (name) => {
  $("relations-name").textContent = name ? `Rules of ${name}` : "";
  $("relations-builtin").hidden = !name;
};
$("relations-file").addEventListener("change", async () => {
  const f = $("relations-file").files[0];
  if (!f) return;
  own = await f.text();
  named(f.name);
  $("relations-file").value = "";
  settings();
});
$("relations-sentences").addEventListener("change", async () => {
  const f = $("relations-sentences").files[0];
  if (!f) return;
  mine = await f.text();
  $("relations-mine").textContent = mineName = f.name;
  $("relations-mine").hidden = false;
  $("relations-data").value = "";
  $("relations-sentences").value = "";
  settings();
  $("relations-go").focus();
});
$("relations-builtin").addEventListener("click", () => {
  own = "";
  named("");
  settings();
  $("relations-go").focus();
});
$("relations-go").addEventListener("click", () => attempt($("relations-go"), $("relations-problem"), async () => {
  $("relations-result").hidden = true;
  const { job } = await api("POST", "relations/start", { data: $("relations-data").value, sentences: $("relations-data").value === "" ? mine : "", part: $("relations-part").value, rules: own });
  const v = await follow(job, box);
  if (!v) return;
  page = { rule: "", found: 10, missed: 10 };
  show(v);
  $("relations-title").focus();
}));
for (const id of ["relations-data", "relations-part"]) $(id).addEventListener("change", settings);
entered.then(async () => {
  settings();
  if (!state.relations) return;
  try {
    view = { review: state.relations.review };
    page = state.relations.page;
    const v = await ask("show");
    if (state.relations.data === "") {
      $("relations-mine").textContent = mineName; // whose content the studio has still
      $("relations-mine").hidden = false;
    }
    $("relations-data").value = state.relations.data;
    $("relations-part").value = state.relations.part;
    show(v);
  } catch {
    view = null; // the studio was started anew and knows nothing of it
    set("relations");
  }
});
