/**
 * Claims about a person that wait for confirmation.
 */

import { get, send } from "../api.js";
import { counted, el, fill, said, short } from "../dom.js";
import { changes } from "../outlook.js";
import { announce, entryItem, entryLink, problem } from "../parts.js";

const MINUTE = 60_000;
const EVERY = 15_000;

/** The remaining time of a claim. */
export function left(until, now = Date.now()) {
  const minutes = Math.ceil((Date.parse(until) - now) / MINUTE);
  return minutes > 1 ? `expires in ${minutes} minutes` : "expires in less than a minute";
}

export async function show() {
  const list = el("div", {});
  const trouble = el("div", {});
  const control = new AbortController();
  let timer = 0;

  async function run() {
    try {
      const { data } = await get("/api/v1/pending", {}, control.signal);
      draw(data.claims);
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, problem(error));
    }
  }

  function draw(claims) {
    const { id, does } = document.activeElement?.dataset ?? {};
    const held = list.contains(document.activeElement);
    fill(list, claims.length ? el("ul", { class: "plainly claims" }, claims.map(item)) : el("p", { class: "muted" }, "Nothing is pending."));
    if (!held) return;
    const same = id ? list.querySelector(`[data-id="${CSS.escape(id)}"][data-does="${does}"]`) : null;
    (same ?? list.querySelector("button") ?? document.getElementById("pending-title")).focus();
  }

  function item({ pending, until, entries }) {
    const about = short(pending.message, 60);
    return el(
      "li",
      { class: `card tone kind-${pending.kind}` },
      el("p", { class: "text" }, said(pending.message)),
      el(
        "div",
        { class: "muted small row" },
        el("span", {}, pending.kind),
        el("span", {}, "about a person: “", said(pending.phrase), "”"),
        el("span", {}, "submitted at ", new Date(pending.asked).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })),
        el("span", { "data-until": until }, left(until)),
      ),
      effect(pending, entries),
      el(
        "div",
        { class: "row decide" },
        el("button", { type: "button", class: "main", "data-id": pending.id, "data-does": "yes", "aria-label": `Record: ${about}`, click: () => decide(pending, true) }, "Record it"),
        el("button", { type: "button", "data-id": pending.id, "data-does": "no", "aria-label": `Drop: ${about}`, click: () => decide(pending, false) }, "Drop it"),
      ),
    );
  }

  /** The entries that a confirmation would change. */
  function effect(pending, entries) {
    if (!pending.ids.length && !pending.replaces) return null;
    if (!entries.length) return el("p", { class: "flag" }, "The entry that it would change no longer exists.");
    if (pending.ids.length === 1) return [el("p", { class: "small" }, "It corrects ", el("a", { href: entryLink(entries[0].id) }, "an entry"), ":"), changes(entries[0].text, pending.message)];
    return [el("p", { class: "small" }, `It replaces ${counted(entries.length, "entry", "entries")}:`), el("ul", { class: "plainly" }, entries.map((one) => entryItem(one)))];
  }

  async function decide(pending, accept) {
    fill(trouble);
    try {
      const done = await send("POST", `/api/v1/pending/${encodeURIComponent(pending.id)}/confirm`, { accept });
      tell(done);
    } catch (error) {
      fill(trouble, problem(error));
    }
    await run();
  }

  function tell(done) {
    const one = done.recorded ?? done.corrected;
    const gone = done.recorded?.replaced ? ". The replaced entry is in the archive." : "";
    if (one) announce(done.recorded ? "Recorded: " : "Corrected: ", el("a", { href: entryLink(one.entry.id) }, said(short(one.entry.title, 80))), gone);
    else announce(done.dropped ? "Dropped." : "Recorded.");
  }

  function tick() {
    const waiting = [...list.querySelectorAll("[data-until]")];
    if (waiting.some((one) => Date.parse(one.dataset.until) <= Date.now())) run();
    for (const one of waiting) fill(one, left(one.dataset.until));
  }

  await run();
  timer = setInterval(tick, EVERY);
  const move = (by) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[Math.min(buttons.length - 1, Math.max(0, at + by))]?.focus();
  };
  return {
    title: "Pending",
    node: el(
      "div",
      {},
      el("h1", { id: "pending-title", tabindex: "-1" }, "Pending"),
      el("p", { class: "muted" }, "Claims about a person wait here for one hour until you confirm them. They are not in the memory yet, and nobody else sees them."),
      trouble,
      list,
    ),
    changed: run,
    leave() {
      clearInterval(timer);
      control.abort();
    },
    keys: { j: () => move(1), k: () => move(-1) },
  };
}
