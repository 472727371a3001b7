// What all tabs share: who is let in, questions to the studio, work under way,
// commands to copy, and the steps themselves. Text never becomes markup.

export const $ = (id) => document.getElementById(id);

// node makes an element with properties and children; strings become text.
export const node = (name, props = {}, ...children) => {
  const e = document.createElement(name);
  for (const [k, v] of Object.entries(props)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (k in e && !k.startsWith("aria")) e[k] = v;
    else e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return e;
};

// A name or a text out of a file may hold characters that nobody sees, such as those that
// turn the direction of what follows. The page shows a sign in the place of each, wherever a
// tab put it, before anything is drawn; what is sent back are values, which stay as they are.
const veiled = /(?![\n\t\u200c\u200d])[\p{C}\u2028\u2029\ufffd]/gu;
const signs = (c) => (c < " " ? String.fromCharCode(0x2400 + c.charCodeAt()) : c === "\x7f" ? "\u2421" : "\ufffd");
const plainly = (s) => s.replace(veiled, signs);
const spoken = ["aria-label", "title", "placeholder", "label", "alt", "download"];
const unveil = (n) => {
  if (n.nodeType === Node.TEXT_NODE) {
    if (n.data !== plainly(n.data)) n.data = plainly(n.data);
    return;
  }
  for (const a of n.attributes || []) if (spoken.includes(a.name) && a.value !== plainly(a.value)) a.value = plainly(a.value);
  n.childNodes.forEach(unveil);
};
new MutationObserver((all) => all.forEach((m) => (m.type === "childList" ? m.addedNodes.forEach(unveil) : unveil(m.target))))
  .observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: spoken });

// drawing makes an element of a picture.
export const drawing = (name, props = {}, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(props)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};

// Words for numbers. What is not defined is a dash.
export const number = (x) => (x === null || x === undefined || !Number.isFinite(x) ? "–" : String(Number(x.toPrecision(3))));
export const percent = (x) => (x === null || x === undefined || !Number.isFinite(x) ? "–" : `${(100 * x).toFixed(1)}\u00a0%`);
// What is a bound is never rounded below it.
export const times = (x) => {
  const unit = 10 ** (2 - Math.floor(Math.log10(x)));
  return String(Math.ceil(x * unit - 1e-9) / unit);
};
// It has the fewest decimals, from one on, with which it stays below 100.
export const most = (x) => {
  if (x === null || !(x < 1 - 1e-9)) return x >= 1 - 1e-9 ? "100\u00a0%" : percent(x);
  for (let decimals = 1, unit = 1000; ; decimals++, unit *= 10) {
    const v = Math.ceil(x * unit * (1 - 1e-9));
    if (v < unit) return `${((100 * v) / unit).toFixed(decimals)}\u00a0%`;
  }
};
export const least = (x) => percent(Math.floor(1000 * x + 1e-9) / 1000);
// sentence makes a sentence of a note.
// Greek letters stay as they are: an ε that begins a sentence is no Ε.
export const sentence = (s) => s && (/^[a-z]/.test(s) ? s[0].toUpperCase() : s[0]) + s.slice(1) + (/[.!?:]$/.test(s) ? "" : ".");
export const count = (n, one, many) => `${n.toLocaleString("en")}\u00a0${n === 1 ? one : many}`;

// state is what was chosen so far. It lasts as long as the browser's tab, and
// holds names of columns, never a text.
const kept = "sotto-state";
export const state = (() => {
  try {
    return JSON.parse(sessionStorage.getItem(kept)) || {};
  } catch {
    return {};
  }
})();
const news = new EventTarget();
export const on = (name, f) => news.addEventListener(name, () => f(state[name]));
export const set = (name, value) => {
  if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
  if (value === undefined) delete state[name];
  else state[name] = value;
  sessionStorage.setItem(kept, JSON.stringify(state));
  news.dispatchEvent(new Event(name));
};

// Who is let in has a session. The secret behind # is exchanged for one and taken
// out of the address.
const ticket = "sotto-session";
const lock = () => {
  sessionStorage.removeItem(ticket);
  $("studio").hidden = true;
  $("locked").hidden = false;
};

export class Refused extends Error {}

// api asks the studio. What it refuses is thrown with its words.
export const api = async (method, path, body, raw = false) => {
  const headers = { Authorization: `Bearer ${sessionStorage.getItem(ticket)}` };
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`/api/${path}`, { method, headers, body: body === undefined || raw ? body : JSON.stringify(body) });
  } catch {
    $("lost").textContent = "The studio does not answer. Is it still running in the terminal?";
    $("lost").hidden = false;
    throw new Refused("The studio does not answer.");
  }
  $("lost").hidden = true;
  if (answer.status === 401) lock();
  const value = await answer.json().catch(() => ({ error: `The studio answered with ${answer.status}.` }));
  if (!answer.ok) throw new Refused(value.error);
  return value;
};

// follow shows work under way in a box made by working, and returns its end.
export const follow = async (id, box) => {
  let job = { version: -1, state: "waiting" };
  box.begin(id);
  try {
    while (!["done", "failed", "stopped"].includes(job.state)) {
      job = await api("GET", `jobs/${id}?after=${job.version}`);
      box.show(job);
    }
  } finally {
    box.end();
  }
  if (job.state === "failed") throw new Refused(job.error);
  return job.state === "done" ? job.result : null;
};

// working makes the box in which work is followed and can be stopped.
export const working = (what) => {
  const bar = node("progress", { max: 1, value: 0, "aria-label": what });
  const note = node("p", { className: "note" });
  const said = node("p", { className: "unseen", role: "status", "aria-live": "polite" });
  const stop = node("button", { type: "button", className: "plain" }, "Stop");
  const box = node("div", { className: "working", hidden: true }, node("div", { className: "row" }, bar, stop), note);
  const whole = node("div", {}, box, said);
  let spoken = 0;
  whole.begin = (id) => {
    spoken = 0;
    bar.removeAttribute("value"); // unknown, until something is known
    note.textContent = "Beginning";
    said.textContent = `${what} has begun.`;
    box.hidden = false;
    stop.disabled = false;
    stop.onclick = () => {
      stop.disabled = true;
      api("DELETE", `jobs/${id}`).catch(() => {});
    };
  };
  whole.show = (job) => {
    if (job.share > 0) bar.value = job.share;
    note.textContent = job.note;
    const quarter = Math.floor(job.share * 4); // a screen reader hears of quarters only
    if (quarter > spoken) {
      spoken = quarter;
      said.textContent = `${what}: ${Math.round(100 * job.share)} percent.`;
    }
    if (job.state === "stopped") said.textContent = `${what} was stopped.`;
    if (job.state === "done") said.textContent = `${what} is done.`;
  };
  whole.end = () => (box.hidden = true);
  return whole;
};

// attempt does something behind a button, which cannot be pressed meanwhile, and
// shows what was refused in the panel's alert.
export const attempt = async (button, alert, f) => {
  alert.hidden = true;
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  try {
    await f();
  } catch (e) {
    alert.textContent = e instanceof Refused ? e.message : "The page made a mistake. Load it anew; if it comes again, please report it.";
    alert.hidden = false;
    if (!(e instanceof Refused)) throw e;
  } finally {
    button.removeAttribute("aria-disabled");
  }
};

// quote writes an argument as bash reads it, on one line of characters that can be seen: the
// end of a line would start a command when it is pasted.
const unseen = /(?![\u200c\u200d])[\p{C}\u2028\u2029\ufffd]/gu;
const octal = (c) => [...new TextEncoder().encode(c)].map((b) => `\\${b.toString(8).padStart(3, "0")}`).join("");
export const quote = (s) => {
  if (/^[A-Za-z0-9_.,:=@%+/-]+$/.test(s)) return s;
  if (s.search(unseen) < 0) return `'${s.replaceAll("'", `'\\''`)}'`;
  return `$'${s.replace(/['\\]/g, "\\$&").replace(unseen, octal)}'`;
};

// command shows, in a figure, commands that do the same as a step: lists of
// arguments, or lines as they are.
export const command = (figure, ...commands) => {
  const lines = commands.map((c) => (typeof c === "string" ? c : ["sotto", ...c].map(quote).join(" ")));
  const text = lines.join(" && "); // one line, which nothing starts before it is whole
  const code = node("code", {}, ...lines.join("\n").split(/(\s+)/).map((word) => (word.trim() ? node("span", {}, word) : word))); // a flag is not broken at its hyphens
  const said = node("span", { className: "unseen", role: "status" });
  const copy = node("button", { type: "button", className: "plain", "aria-label": "Copy the command" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      copy.textContent = said.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      copy.textContent = "Press Ctrl+C";
    }
    setTimeout(() => (copy.textContent = "Copy"), 2000);
  });
  figure.className = "command";
  figure.replaceChildren(node("figcaption", {}, "The same in a terminal"), node("div", { className: "line" }, node("pre", { tabIndex: 0, role: "region", "aria-label": "Command" }, code), copy), said);
};

// table makes a table that scrolls sideways by itself where it must.
export const table = (caption, head, rows, named = true) => node("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
  node("table", {}, node("caption", {}, caption), node("thead", {}, node("tr", {}, ...head.map((h) => node("th", { scope: "col" }, h)))),
    node("tbody", {}, ...rows.map((r) => node("tr", {}, ...r.map((c, i) => (i || !named ? node("td", { className: String(c).length > 40 ? "text" : "short" }, c) : node("th", { scope: "row" }, c))))))));

// bars draws shares as bars with their names and numbers, which are text.
export const bars = (caption, rows) => node("figure", { className: "bars" }, node("figcaption", {}, caption),
  ...rows.filter(([, v]) => v !== null && v !== undefined).map(([name, v, kind]) => node("div", {}, node("span", {}, name),
    drawing("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, drawing("rect", { class: "ground", width: 100, height: 10 }), drawing("rect", { class: kind, width: 100 * v, height: 10 })), node("b", {}, percent(v)))));

// odds says what an ε means to somebody who was undecided.
export const odds = (epsilon) => {
  const e = Math.exp(epsilon);
  if (!(e < 1e6)) return "At this ε a release may give away all there is to know of a text: it protects nobody.";
  return `Who sees a release can change their mind about a text at most ${times(e)}-fold: from 50 % sure to at most ${most(e / (1 + e))}.`;
};

// The steps are tabs: arrows, Home and End move between them.
const tabs = [...document.querySelectorAll("#steps [role=tab]")];
export const open = (name, focus = false) => {
  for (const t of tabs) {
    const chosen = t.dataset.tab === name;
    t.setAttribute("aria-selected", chosen);
    t.tabIndex = chosen ? 0 : -1;
    $(t.getAttribute("aria-controls")).hidden = !chosen;
    if (chosen && focus) t.focus();
  }
  set("tab", name);
};
// next leads on to a step, or to the one after this where there is no such step,
// and moves the focus into it.
export const next = (name) => {
  const here = tabs.findIndex((t) => t.dataset.tab === state.tab);
  if (!tabs.some((t) => t.dataset.tab === name)) name = tabs[Math.min(here + 1, tabs.length - 1)].dataset.tab;
  open(name);
  scrollTo(0, 0);
  $(`panel-${name}`).focus({ preventScroll: true });
};
tabs.forEach((t, i) => {
  t.addEventListener("click", () => open(t.dataset.tab));
  t.addEventListener("keydown", (e) => {
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: tabs.length - 1 }[e.key];
    if (to === undefined) return;
    e.preventDefault();
    open(tabs[(to + tabs.length) % tabs.length].dataset.tab, true);
  });
});
document.addEventListener("click", (e) => {
  const to = e.target.closest("[data-next]");
  if (to) next(to.dataset.next);
});

const enter = async () => {
  const secret = location.hash.slice(1);
  if (secret && secret !== "steps") {
    history.replaceState(null, "", "/");
    const answer = await fetch("/api/enter", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ secret }) });
    if (answer.ok) sessionStorage.setItem(ticket, (await answer.json()).session);
  }
  if (!sessionStorage.getItem(ticket)) return lock();
  $("studio").hidden = false;
  open(tabs.some((t) => t.dataset.tab === state.tab) ? state.tab : tabs[0].dataset.tab);
};
// entered is when questions can be asked; tabs wait for it before their first.
export const entered = enter();
