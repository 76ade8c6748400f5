/**
 * What would come of words before they are saved: as what they are read, and what the gate says.
 */

import { send } from "./api.js";
import { difference } from "./diff.js";
import { el, said } from "./dom.js";
import { entryItem, problem } from "./parts.js";

/** What keeps words from being written as they are; some of it can be overridden. */
const KEEPS = new Set(["known", "repeated", "forgotten", "transient"]);

/** How the service reads words, and what would come of them; what it refuses for good it refuses here. */
export function readAs(message, type, instead, signal) {
  return send("POST", "/api/v1/preview", { message, type, instead }, "", signal);
}

/** Whether words are not written unless somebody insists. */
export function isKept(outlook) {
  return KEEPS.has(outlook.verdict);
}

/** A remedy as a person reads it, for whom `verb` is a button. */
export function remedy(text, verb) {
  return text.replace(/\bset acknowledge\b/g, `choose “${verb}”`);
}

/** The line that says as what words are read. */
export function reading(read) {
  const parts = [
    read.status ? [", ", read.status] : [],
    read.tags.length ? [", tags ", said(read.tags.join(", "))] : [],
    read.links.length ? [", things ", said(read.links.join(", "))] : [],
  ];
  return el("p", { class: "muted small" }, "It would be read as: ", read.kind, parts);
}

/** What the gate says, as nodes; `verb` names the button that overrides it. */
export function verdict(outlook, verb) {
  const told = el("div", { class: "notice" });
  const { verdict: what, id, related } = outlook;
  if (what === "pending") {
    told.append(el("p", {}, el("strong", {}, "It is about a person: "), "“", said(outlook.reason), "”. It will wait under Pending until somebody says yes, for an hour."));
  } else if (what === "known") {
    told.append(el("p", {}, el("strong", {}, "Memory says this already."), " It is not written twice; correct that entry if it has to say more."), el("ul", { class: "plainly" }, related.map((one) => entryItem(one))));
  } else if (what === "loop") {
    told.append(el("p", {}, el("strong", {}, "It was rejected before."), " Say what is different this time."), el("ul", { class: "plainly" }, related.map((one) => entryItem(one))));
  } else if (isKept(outlook)) {
    const link = what === "forgotten" ? el("a", { href: "#/archive" }, "See the archive") : id ? el("a", { href: `#/entry/${encodeURIComponent(id)}` }, "See it") : null;
    told.append(el("p", {}, said(`${outlook.reason}.`)), el("p", { class: "muted" }, said(remedy(outlook.remedy, verb)), " ", link));
  } else {
    return [];
  }
  return [told];
}

/** A refusal with the remedy that a person has. */
export function refused(error, verb) {
  return problem({ message: error.message, remedy: remedy(error.remedy ?? "", verb) });
}

/** Two texts in one: what goes, and what comes. */
export function changes(before, after) {
  if (before.trim() === after.trim()) return el("p", { class: "muted" }, "Nothing yet.");
  const parts = difference(before.trim(), after.trim()).map(([kind, text]) => {
    if (kind === "gone") return el("del", {}, said(text));
    return kind === "new" ? el("ins", {}, said(text)) : said(text);
  });
  return el("p", { class: "diff" }, parts);
}
