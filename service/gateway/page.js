"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const keyed = document.body.dataset.keys === "true";
  const number = (x) => String(Number(x.toPrecision(4)));
  const epsilon = (x) => `ε\u00a0=\u00a0${number(x)}`;
  const when = (t) => (t ? new Date(t).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) : "never");

  // Names and texts may hold characters that nobody sees, such as those that turn the
  // direction of what follows: the page shows a sign in the place of each, wherever they are
  // put, before anything is drawn.
  const veiled = /(?![\n\t\u200c\u200d])[\p{C}\u2028\u2029\ufffd]/gu;
  const plainly = (s) => s.replace(veiled, "\ufffd");
  const unveil = (n) => {
    if (n.nodeType === Node.TEXT_NODE && n.data !== plainly(n.data)) n.data = plainly(n.data);
    for (const a of n.attributes || []) if (a.value !== plainly(a.value)) a.value = plainly(a.value);
    n.childNodes.forEach(unveil);
  };
  new MutationObserver((all) => all.forEach((m) => (m.type === "childList" ? m.addedNodes.forEach(unveil) : unveil(m.target))))
    .observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["aria-label", "title"] });

  // node makes an element that holds text, never markup.
  const node = (name, text, kind) => {
    const e = document.createElement(name);
    e.textContent = text;
    if (kind) e.className = kind;
    return e;
  };

  // bars draws numbers as bars from a middle line, each picture on its own scale.
  const bars = (svg, note, values, what) => {
    svg.replaceChildren();
    if (!values) {
      note.textContent = "The encoder did not answer a second time, so there is no picture.";
      return;
    }
    const top = values.reduce((m, v) => Math.max(m, Math.abs(v)), 0);
    const n = values.length, height = 60;
    svg.setAttribute("viewBox", `0 0 ${n} ${2 * height}`);
    const rect = (x, y, w, h, kind) => {
      const r = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [k, v] of Object.entries({ x, y, width: w, height: h, class: kind })) r.setAttribute(k, v);
      svg.append(r);
    };
    rect(0, height - 0.5, n, 1, "zero");
    values.forEach((v, i) => {
      const h = top > 0 ? (Math.abs(v) / top) * height : 0;
      if (h > 0) rect(i + 0.1, v > 0 ? height - h : height, 0.8, h, v > 0 ? "plus" : "minus");
    });
    note.textContent = `${n} numbers, the largest ${number(top)} in size`;
    svg.setAttribute("aria-label", `${what}: ${note.textContent}`);
  };

  const budget = (left, all, renews) => {
    $("budget").hidden = false;
    $("left").max = all > 0 ? all : 1;
    $("left").value = Math.max(0, left);
    $("figures").textContent = `ε\u00a0${number(left)} of ${number(all)}` + (renews ? `, renews ${when(renews)}` : ", never renews");
  };

  const showMasks = (t) => {
    $("pieces").replaceChildren(...t.pieces.map((p) => {
      if (!p.reason) return document.createTextNode(p.text);
      const m = node("mark", p.text, t.applied ? "" : "maybe");
      m.title = p.reason;
      return m;
    }));
    const n = t.pieces.filter((p) => p.reason).length;
    const words = n === 1 ? "1 word" : `${n} words`;
    const note = $("masks");
    if (t.applied) note.textContent = n ? `${words} masked before the text was encoded. No guarantee rests on lists and names.` : "No word was masked.";
    else note.replaceChildren(n ? `${words} with a capital, maybe of a name. ` : "", "Nothing is masked here: start the gateway with ", node("code", "--mask-names capitals"), " or ", node("code", "--mask FILE"), ".");
  };

  // said shows what a server says, of a label where there are several.
  const said = (a, label) => {
    const line = node("p", label ? `It says of ${label} ` : "It says ");
    line.append(node("b", a.class));
    const scores = Object.entries(a.scores || {}).sort((x, y) => y[1] - x[1]).slice(0, 8).map(([name, score]) => {
      const row = document.createElement("div"), bar = document.createElement("progress");
      bar.max = 1;
      bar.value = score;
      bar.setAttribute("aria-label", label ? `${label}: ${name}` : name);
      row.append(node("span", name), bar, node("span", score.toFixed(3)));
      return row;
    });
    return [line, ...scores];
  };

  const showServer = (v) => {
    const box = $("server");
    if (!v) {
      const none = node("p", "No server is set: start the gateway with ", "soft");
      none.append(node("code", "--server URL"), ".");
      return box.replaceChildren(none);
    }
    if (v.error) return box.replaceChildren(node("p", v.error, "problem"));
    const labels = Object.entries(v.labels || {});
    box.replaceChildren(...(labels.length ? labels.flatMap(([name, a]) => said(a, name)) : said(v)));
  };

  // showCode says which code a vector is, and what that stands for.
  const showCode = (c) => {
    if (!c) return;
    const means = c.means.map((m) => (m.label ? `${m.label}: ${m.class}` : m.class)).join(", ");
    $("after-note").textContent = `code ${c.index} of 0 to ${c.of - 1}` + (means ? `, which stands for ${means}` : "");
    $("after").setAttribute("aria-label", `Vector after the noise: ${$("after-note").textContent}`);
  };

  const showGuesses = (side, guesses) => {
    $("read-" + side).replaceChildren(...guesses.map((g) => node("li", g.word, g.hit ? "hit" : "")));
    const hits = guesses.filter((g) => g.hit).length;
    $("hits-" + side).textContent = `${hits} of ${guesses.length} are in your text`;
  };

  const showAttack = (t) => {
    $("read").hidden = $("attacker").hidden = !t.read;
    $("unread").hidden = !!t.read;
    if (!t.read) {
      $("unread").textContent = "No guess was made: " + t.unread + ". That says nothing about what a better attacker reads.";
      return;
    }
    showGuesses("before", t.read.before);
    showGuesses("after", t.read.after);
    $("attacker").textContent = `The attacker knows the encoder and names those of ${t.read.words.toLocaleString()} words that are nearest to the vector. It is a simple one, and others may read more; what ε bounds holds against every one.`;
  };

  const showCost = (p) => {
    const facts = [
      ["This text", p.cost > 0 ? epsilon(p.cost) : "nothing: it was paid for before"],
      ["Spent", epsilon(p.spent)],
      ["Left", epsilon(p.left)],
      ["Renews", when(p.renews)],
    ];
    if (p.delta > 0) facts.splice(3, 0, ["δ left", number(p.left_delta)]);
    $("cost").replaceChildren(...facts.flatMap(([k, v]) => [node("dt", k), node("dd", v)]));
    $("scope").replaceChildren(...[p.scope, p.against, p.within].map((t) => node("li", t)));
    $("assumptions").replaceChildren(...p.assumptions.map((a) => node("li", "assuming: " + a)));
  };

  const show = (a) => {
    const t = a.data[0], p = a.privacy;
    showMasks(t);
    bars($("before"), $("before-note"), t.before, "Vector before the noise");
    bars($("after"), $("after-note"), t.after, "Vector after the noise");
    showCode(t.code);
    $("cosine").textContent = t.cosine === null ? "" : `Cosine between both: ${t.cosine.toFixed(2)} (1: the same direction, 0: nothing in common).`;
    showServer(t.server);
    showAttack(t);
    showCost(p);
    budget(p.left, p.left + p.spent, p.renews);
    $("result").hidden = false;
    $("status").textContent = (p.cost > 0 ? `Released for ${epsilon(p.cost)}` : "Released again; it cost nothing") + `. ${epsilon(p.left)} left.`;
  };

  const fail = (e) => {
    $("status").textContent = "";
    let message = e.message || "something went wrong";
    if (e.code === "over_budget") {
      message = `Over budget: this text costs ${epsilon(e.asked)} and ${epsilon(e.left)} is left. Nothing was spent or released. ` + (e.renews ? `The budget renews ${when(e.renews)}.` : "The budget does not renew.");
    }
    $("problem").replaceChildren(node("p", message));
    $("problem").dataset.code = e.code || "";
    $("problem").hidden = false;
  };

  const header = () => {
    const h = { "Content-Type": "application/json" };
    if (keyed) h.Authorization = "Bearer " + $("key").value.trim();
    return h;
  };

  // ask returns an answer, or throws what the gateway says is wrong.
  const ask = async (path, options) => {
    let response, answer;
    try {
      response = await fetch(path, { ...options, headers: header(), cache: "no-store", credentials: "omit", redirect: "error" });
      answer = await response.json();
    } catch {
      throw { message: "The gateway does not answer. Is it still running?", code: "unreachable" };
    }
    if (!response.ok) throw answer.error || {};
    return answer;
  };

  // look asks where the user stands, which costs nothing.
  const look = async () => {
    if (keyed && !$("key").value) return;
    const user = $("user").value;
    try {
      const b = await ask("/v1/budget" + (user ? "?user=" + encodeURIComponent(user) : ""), {});
      budget(b.left, b.left + b.spent, b.renews);
    } catch {
      $("budget").hidden = true; // the next release says why
    }
  };

  let busy = false;
  const send = async () => {
    if (busy) return;
    $("problem").hidden = true;
    if (!$("text").value.trim()) {
      fail({ message: "Type a text first.", code: "empty" });
      $("text").focus();
      return;
    }
    busy = true;
    $("send").setAttribute("aria-disabled", "true");
    $("status").textContent = "Releasing…";
    try {
      const body = { input: $("text").value };
      if ($("user").value) body.user = $("user").value;
      show(await ask("/page/try", { method: "POST", body: JSON.stringify(body) }));
    } catch (e) {
      $("result").hidden = true; // which is of another text
      fail(e);
      if (e.code === "over_budget") look();
    } finally {
      busy = false;
      $("send").removeAttribute("aria-disabled");
    }
  };

  $("form").addEventListener("submit", (e) => {
    e.preventDefault();
    send();
  });
  $("form").addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      send();
    }
  });
  $("user").addEventListener("change", look);
  if (keyed) $("key").addEventListener("change", look);
  look();
})();
