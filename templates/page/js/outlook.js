/**
 * Previews of a text before it is saved: how it is parsed, and the results of the checks.
 */

import { send } from "./api.js";
import { difference } from "./diff.js";
import { el, said } from "./dom.js";
import { entryItem, problem } from "./parts.js";

/** Verdicts that stop a text from being recorded; some can be overridden. */
const KEEPS = new Set(["known", "repeated", "forgotten", "transient"]);

/** Ask the service for a preview. Fails with the errors that saving would give. */
export function readAs(message, type, instead, signal) {
  return send("POST", "/api/v1/preview", { message, type, instead }, "", signal);
}

/** True if the text is not recorded unless the user insists. */
export function isKept(outlook) {
  return KEEPS.has(outlook.verdict);
}

/** A remedy that names the button `verb` instead of the API field. */
export function remedy(text, verb) {
  return text.replace(/\bset acknowledge\b/g, `choose “${verb}”`);
}

/** The line that shows how the text is parsed. */
export function reading(read) {
  const parts = [
    read.status ? [", ", read.status] : [],
    read.tags.length ? [", tags ", said(read.tags.join(", "))] : [],
    read.links.length ? [", things ", said(read.links.join(", "))] : [],
  ];
  return el("p", { class: "muted small" }, "Will be recorded as: ", read.kind, parts);
}

/** The results of the checks, as nodes; `verb` names the button that overrides them. */
export function verdict(outlook, verb) {
  const told = el("div", { class: "notice" });
  const { verdict: what, id, related } = outlook;
  if (what === "pending") {
    told.append(el("p", {}, el("strong", {}, "This is about a person: "), "“", said(outlook.reason), "”. It will wait under Pending for one hour until you confirm it."));
  } else if (what === "known") {
    told.append(el("p", {}, el("strong", {}, "Already recorded."), " If something is missing, edit the existing entry."), el("ul", { class: "plainly" }, related.map((one) => entryItem(one))));
  } else if (what === "loop") {
    told.append(el("p", {}, el("strong", {}, "This was rejected before."), " Add what is different this time."), el("ul", { class: "plainly" }, related.map((one) => entryItem(one))));
  } else if (isKept(outlook)) {
    const link = what === "forgotten" ? el("a", { href: "#/archive" }, "See the archive") : id ? el("a", { href: `#/entry/${encodeURIComponent(id)}` }, "See it") : null;
    told.append(el("p", {}, said(`${outlook.reason}.`)), el("p", { class: "muted" }, said(remedy(outlook.remedy, verb)), " ", link));
  } else {
    return [];
  }
  return [told];
}

/** An error whose remedy names the button `verb`. */
export function refused(error, verb) {
  return problem({ message: error.message, remedy: remedy(error.remedy ?? "", verb) });
}

/** Two texts merged into one, with removed and added words marked. */
export function changes(before, after) {
  if (before.trim() === after.trim()) return el("p", { class: "muted" }, "No changes yet.");
  const parts = difference(before.trim(), after.trim()).map(([kind, text]) => {
    if (kind === "gone") return el("del", {}, said(text));
    return kind === "new" ? el("ins", {}, said(text)) : said(text);
  });
  return el("p", { class: "diff" }, parts);
}
