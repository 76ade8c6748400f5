/**
 * Elements that several views share: rows, flags, problems, dialogs.
 */

import { el, fill, said, short, termsOf, unmarked } from "./dom.js";

/** Show a message for a while; screen readers read it aloud. */
let until = 0;
export function announce(text, ...more) {
  const node = document.getElementById("said");
  fill(node, text, ...more);
  clearTimeout(until);
  until = setTimeout(() => fill(node), 6000);
}

/** An error with its remedy. */
export function problem(error) {
  return el(
    "div",
    { class: "problem", role: "alert" },
    el("p", {}, said(error.message)),
    error.remedy ? el("p", { class: "muted" }, said(error.remedy)) : null,
  );
}

/** The address of an entry's view. */
export function entryLink(id) {
  return `#/entry/${encodeURIComponent(id)}`;
}

/** Warnings about an entry. */
export function flags(stale = []) {
  return stale.map((one) => el("span", { class: "flag" }, "⚑ ", said(one)));
}

/** An entry as a row of a long list. */
export function hitRow(entry, index, focused) {
  const terms = termsOf(entry.matched ?? []);
  const rest = gist(entry);
  return el(
    "a",
    { class: `hit kind-${entry.kind}`, href: entryLink(entry.id), focus: () => focused(index) },
    el("span", { class: "title" }, said(unmarked(short(entry.title || entry.text, 200)), terms)),
    el("span", { class: "gist" }, rest ? said(short(rest, 300), terms) : el("span", { class: "muted" }, said(short(entry.section.join(" › ")) || entry.file))),
    el(
      "span",
      { class: "facts" },
      el("span", {}, entry.kind),
      el("span", {}, entry.date ?? "no date"),
      ...flags(entry.stale),
      entry.status ? el("span", {}, entry.status) : null,
      entry.relevance && entry.relevance !== "listed" ? el("span", {}, `relevance ${entry.relevance}`) : null,
      ...entry.tags.slice(0, 4).map((tag) => el("span", {}, "#", said(short(tag, 40)))),
    ),
  );
}

/** The text of an entry after its title. */
function gist(entry) {
  const text = entry.text.slice(0, 2000);
  const title = entry.title.slice(0, 2000).replace(/…$/u, "");
  return text.startsWith(title) ? text.slice(title.length).replace(/^[\s.;:,–-]+/u, "") : text;
}

/** An entry as an item of a short list. */
export function entryItem(entry, ...more) {
  return el(
    "li",
    {},
    el("a", { href: entryLink(entry.id) }, said(unmarked(short(entry.title || entry.text || "", 200)))),
    el("div", { class: "muted small row" }, el("span", {}, entry.kind), el("span", {}, entry.date ?? "no date"), ...flags(entry.stale), ...more),
  );
}

/**
 * Show a dialog. `make(close)` returns its content; `close(value)` closes it with an answer.
 * Resolves to the answer, or undefined for Esc.
 */
export function ask(title, make) {
  return new Promise((resolve) => {
    const before = document.activeElement;
    let answer;
    const node = el("dialog", { "aria-labelledby": "dialog-title" });
    const close = (value) => {
      answer = value;
      node.close();
    };
    node.append(el("h2", { id: "dialog-title" }, title), ...make(close));
    node.addEventListener("close", () => {
      node.remove();
      before?.focus?.();
      resolve(answer);
    });
    document.body.append(node);
    node.showModal();
  });
}

/** A form in a dialog: `fields` are nodes; `read` returns the answer, or an error message as a string. */
export function form(close, verb, fields, read, dangerous = false) {
  const wrong = el("p", { class: "flag", role: "alert" });
  const submit = (event) => {
    event.preventDefault();
    const given = read();
    if (typeof given === "string") fill(wrong, given);
    else close(given);
  };
  return [
    el(
      "form",
      { submit },
      ...fields,
      wrong,
      el(
        "div",
        { class: "row" },
        el("button", { type: "submit", class: dangerous ? "bad" : "main" }, verb),
        el("button", { type: "button", click: () => close(undefined) }, "Cancel"),
      ),
    ),
  ];
}

/** An input with a label. */
export function field(name, input) {
  return el("label", { class: "field" }, el("span", {}, name), input);
}
