import { $, node, api, attempt, command, count, entered, follow, on, percent, set, state, table, working } from "/studio.js";

const box = working("Linking");
$("link-working").append(box);
let file = null; // the file that is open
let view = null; // the division under review
const page = { clusters: 20, misses: 20 };

const graph = () => file && ["i", "j"].every((c) => names().includes(c)) && names().some((c) => ["weight", "probability"].includes(c));
const names = () => file.columns.map((c) => c.name);
const chosen = () => [...document.querySelectorAll("#link-columns input:checked")].map((c) => c.value);
const question = () => ({ source: file.source, columns: graph() ? [] : chosen(), truth: graph() ? "" : $("link-truth").value, unknown: $("link-unknown").value });
const signed = (x) => (x > 0 ? "+" : x < 0 ? "−" : "") + Math.abs(x).toFixed(3);

const settings = async () => {
  if (!file) return;
  try {
    command($("link-command"), ...(await api("POST", "link/command", { ...question(), decisions: view ? view.decisions.length : 0 })).commands);
  } catch {
    $("link-command").replaceChildren(); // nothing is chosen yet
  }
};

// opened shows a file, with the columns checked that look as if they told rows apart.
const opened = (u) => {
  file = u;
  view = null;
  set("linked", u.source);
  $("link-name").textContent = `${u.name}: ${count(u.rows, "row", "rows")}`;
  $("link-records").hidden = graph();
  const tells = (c) => c.distinct > u.rows / 20 && !["id", "record"].includes(c.kind) && !/(^|_)(id|uid|key)$/i.test(c.name);
  $("link-columns").replaceChildren(...u.columns.map((c, k) => node("div", {}, node("input", { type: "checkbox", id: `link-column-${k}`, value: c.name, checked: tells(c), onchange: settings }), node("label", { htmlFor: `link-column-${k}` }, c.name))));
  $("link-truth").replaceChildren(node("option", { value: "" }, "none"), ...u.columns.map((c) => node("option", { value: c.name }, c.name)));
  $("link-opened").hidden = false;
  $("link-result").hidden = true;
  settings();
};

// pair says what is known of two nodes, and what speaks for and against.
const pair = (p) => {
  if (p.weight === null) return node("p", {}, p.forbidden ? "Nothing is known of the two, which forbids that they are one." : "Nothing is known of the two.");
  const reasons = (p.reasons || []).filter((r) => Math.abs(r.weight) >= 0.005);
  const list = (sign) => reasons.filter((r) => sign * r.weight > 0).slice(0, 4).map((r) => `${r.name} (${signed(r.weight)})`).join(", ");
  return node("div", {}, node("p", {}, p.same === null ? `Weight ${signed(p.weight)}` : `${percent(p.same)} likely the same (weight ${signed(p.weight)})`),
    list(1) && node("p", { className: "soft" }, node("b", {}, "For: "), list(1)), list(-1) && node("p", { className: "soft" }, node("b", {}, "Against: "), list(-1)));
};

// shown lists nodes, with their fields if there are any.
const shown = (caption, nodes) => {
  const most = 12, some = nodes.slice(0, most);
  const more = nodes.length > most ? node("p", { className: "soft" }, `and ${nodes.length - most} more`) : "";
  if (!(view.columns || []).length) return node("div", {}, node("p", {}, `${caption}: ${some.map((n) => n.name).join(", ")}`), more);
  return node("div", {}, table(caption, ["", ...view.columns], some.map((n) => [n.name, ...n.fields])), more);
};
const find = (i, nodes) => nodes.find((n) => n.id === i);

// decide sends decisions, and shows what follows from them. The focus goes to what is
// said of it, since the card may be gone.
const decide = (button, decisions) => attempt(button, $("link-problem"), async () => {
  show(await api("POST", "link/decide", { review: view.review, decisions, page }));
  $("link-title").focus();
});
const button = (words, about, decisions) => {
  const b = node("button", { type: "button", className: "plain", "aria-label": `${words}: ${about}` }, words);
  b.addEventListener("click", () => decide(b, decisions()));
  return b;
};

const weak = (c) => {
  const w = c.weakest, about = c.nodes.map((n) => n.name).slice(0, 12).join(", ");
  const all = () => c.nodes.slice(1).map((n) => ({ i: c.nodes[0].id, j: n.id, say: "same" }));
  if (!w) return node("li", { className: "box" }, shown("Decided to be one", c.nodes));
  const two = `${find(w.i, c.nodes).name} and ${find(w.j, c.nodes).name}`;
  return node("li", { className: "box" }, shown(count(c.nodes.length, "row", "rows"), c.nodes), node("p", {}, node("b", {}, `Weakest: ${two}`)), pair(w),
    node("div", { className: "row" }, button("They are one", two, () => [{ i: w.i, j: w.j, say: "same" }]), button("They are not", two, () => [{ i: w.i, j: w.j, say: "apart" }]),
      c.nodes.length > 2 ? button("All of these are one", about, all) : ""));
};

const miss = (m) => {
  const p = m.nearest, two = `${m.node.name} and ${find(p.i === m.node.id ? p.j : p.i, m.cluster).name}`;
  const terms = m.terms.slice(0, 8).map((t) => (t.weight === null ? "unknown" : signed(t.weight))).join("  ") + (m.terms.length > 8 ? " …" : "");
  return node("li", { className: "box" }, shown("Kept out", [m.node]), shown("Of this cluster", m.cluster),
    node("p", {}, `Joining ${terms} = ${signed(m.joining)}; leaving ${signed(m.leaving)}; change ${signed(m.total)}` + (m.refused ? ". A pair that must not be one keeps it out." : ".")),
    node("p", {}, node("b", {}, `Nearest: ${two}`)), pair(p),
    node("div", { className: "row" }, button("They are one", two, () => [{ i: p.i, j: p.j, say: "same" }]), button("They are not", two, () => [{ i: p.i, j: p.j, say: "apart" }])));
};

const show = (v) => {
  view = v;
  set("reviewed", v.review);
  const proved = v.optimal ? "no other division fits the scores better" : `no other division fits the scores more than ${percent(v.gap)} better`;
  $("link-said").textContent = `${count(v.nodes, "row", "rows")} are ${count(v.clusters, "cluster", "clusters")}, of which ${count(v.alone, "row is", "rows are")} alone. Objective ${v.objective.toFixed(4)}: ${proved}. Divided in ${v.seconds.toFixed(2)} s.`;
  $("link-weak").replaceChildren(...v.weak.map(weak));
  $("link-misses").replaceChildren(...v.misses.map(miss));
  $("link-more-weak").hidden = v.weak.length >= v.of[0];
  $("link-more-misses").hidden = v.misses.length >= v.of[1];
  $("link-undecided").hidden = v.decisions.length > 0;
  $("link-decisions").replaceChildren(...v.decisions.map((d) => {
    const two = `${d.first.name} and ${d.second.name}`;
    const what = d.say === "same" ? "are one" : "are not one";
    return node("li", { className: "box row" }, node("span", {}, `${two} ${what}`), button("Take back", two, () => [{ i: d.i, j: d.j, say: "nothing" }]));
  }));
  $("link-result").hidden = false;
  settings();
};

const save = (what) => attempt($(`link-save-${what}`), $("link-problem"), async () => {
  const f = await api("POST", "link/export", { review: view.review, what });
  const address = URL.createObjectURL(new Blob([f.text], { type: "text/csv" }));
  node("a", { href: address, download: f.name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
});

$("link-file").addEventListener("change", () => $("link-file").files[0] && attempt($("link-go"), $("link-problem"), async () => {
  const f = $("link-file").files[0];
  try {
    opened(await api("POST", `data/upload?name=${encodeURIComponent(f.name)}`, f, true));
    $("link-name").focus();
  } finally {
    $("link-file").value = "";
  }
}));
$("link-same").addEventListener("click", () => attempt($("link-same"), $("link-problem"), async () => opened(await api("GET", `data/again?source=${encodeURIComponent(state.choice.source)}`))));
$("link-go").addEventListener("click", () => attempt($("link-go"), $("link-problem"), async () => {
  $("link-result").hidden = true;
  page.clusters = page.misses = 20;
  const { job } = await api("POST", "link/start", question());
  const v = await follow(job, box);
  if (!v) return;
  show(v);
  $("link-title").focus();
}));
for (const [id, what] of [["link-more-weak", "clusters"], ["link-more-misses", "misses"]]) $(id).addEventListener("click", () => attempt($(id), $("link-problem"), async () => {
  page[what] += 20;
  show(await api("POST", "link/show", { review: view.review, page }));
}));
$("link-form").addEventListener("submit", (e) => {
  e.preventDefault();
  const b = e.submitter || $("link-pair-same");
  attempt(b, $("link-problem"), async () => {
    show(await api("POST", "link/named", { review: view.review, first: $("link-i").value, second: $("link-j").value, say: b.value, page }));
    $("link-title").focus();
  });
});
for (const what of ["clusters", "decisions"]) $(`link-save-${what}`).addEventListener("click", () => save(what));
for (const id of ["link-truth", "link-unknown"]) $(id).addEventListener("change", settings);
const offer = () => ($("link-same").hidden = !state.choice);
on("choice", offer);
entered.then(async () => {
  offer();
  if (!state.linked) return;
  try {
    opened(await api("GET", `data/again?source=${encodeURIComponent(state.linked)}`));
    if (state.reviewed) show(await api("POST", "link/show", { review: state.reviewed, page }));
  } catch {
    set("linked"); // the studio was started anew and knows nothing of it
    set("reviewed");
  }
});
