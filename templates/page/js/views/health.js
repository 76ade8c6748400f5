/**
 * The health report, as `mind health` shows it.
 */

import { chosen, get } from "../api.js";
import { bars, figure, shares } from "../charts.js";
import { counted, el, fill, number, said } from "../dom.js";
import { entryItem, entryLink, problem } from "../parts.js";

const TONES = { hot: "tone-bad", warm: "tone-warn", cold: "tone-main" };
/** The last report by project and days, shown while a new one is loading. */
const seen = new Map();

export async function show({ parameters }, { go, signal }) {
  const days = Number(parameters.get("days")) || 30;
  const key = `${chosen.project} ${days}`;
  const { data: status } = await get("/api/v1/status", {}, signal);
  const window_ = el("select", { change: () => go(`#/health?days=${window_.value}`) }, [7, 30, 90, 365].map((one) => el("option", { value: String(one) }, `${one} days`)));
  window_.value = String(days);
  const told = el("p", { class: "muted", role: "status" });
  const trouble = el("div", {});
  const body = el("div", {});
  let drawn = "";

  /** Load the full report. */
  async function look() {
    fill(trouble);
    fill(told, `Checking ${counted(status.entries, "entry", "entries")} …`);
    try {
      const { data } = await get("/api/v1/health", { days }, signal);
      seen.set(key, data);
      draw(data);
      fill(told, `Checked ${counted(data.size.entries, "entry", "entries")} at ${new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}.`);
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(told);
      fill(trouble, problem(error));
    }
  }

  function draw(found) {
    const now = JSON.stringify(found);
    if (now === drawn) return; // unchanged: keep the scroll position and open details
    drawn = now;
    fill(body, whole(found));
  }

  if (seen.has(key)) draw(seen.get(key));
  else fill(body, first(status));
  look();
  return {
    title: "Health",
    node: el("div", {}, el("h1", {}, "Health"), el("label", { class: "row" }, "Period", window_), told, trouble, body),
    changed(files) {
      if (!files.some((name) => name === "MEMORY.md" || name === "SESSION.md" || name === "ARCHIVE.md")) return;
      fill(trouble, el("div", { class: "notice row" }, "The files have changed.", el("button", { type: "button", click: look }, "Refresh")));
    },
  };
}

/** The figures that need no full check. */
function first(status) {
  const told = [
    [number(status.entries), "entries"],
    [number(status.reminders_pending), "pending reminders"],
    [number(status.block_tokens), "tokens in the context block (approximately)"],
  ];
  return [tilesOf(told), el("h2", {}, "Figures"), el("div", { class: "charts" }, counts("Kinds", "Entries by kind", status.by_kind))];
}

function whole(found) {
  return [
    tiles(found),
    el("h2", {}, "What to do first"),
    found.advice.length ? el("ol", { class: "plainly" }, found.advice.map((one) => el("li", { class: "card" }, el("p", {}, el("strong", {}, said(one.reason))), el("p", {}, said(one.text)), command(one.command)))) : el("p", {}, "No problems found."),
    el("h2", {}, "Figures"),
    el("div", { class: "charts" }, ...figures(found)),
    el("div", { class: "two" }, lists(found)),
    found.problems.map((one) => el("p", { class: "notice" }, said(one))),
  ];
}

/** A command to run, with links to the entries that it names. */
function command(told) {
  const ids = told.startsWith("mind show ") ? told.split(" ").slice(2) : [];
  return el("p", { class: "row" }, el("code", {}, said(told)), ids.map((id) => el("a", { href: entryLink(id) }, `Open ${id}`)));
}

function percent(part, whole) {
  return whole ? `${Math.round((100 * part) / whole)}%` : "–";
}

function tiles(found) {
  const { size, verification: debt, drift } = found;
  const told = [
    [number(size.entries), "entries"],
    [percent(debt.fresh, debt.fresh + debt.stale + debt.never), "of lasting entries checked within 90 days"],
    [number(drift.gone + drift.changed), `of ${number(drift.citing)} entries that cite paths are out of date`],
    [number(found.searches), `searches in ${found.days} days`],
    [number(found.applied), `uses in ${found.days} days`],
    [number(size.block_tokens), "tokens in the context block (approximately)"],
  ];
  return tilesOf(told);
}

function tilesOf(told) {
  return el("dl", { class: "tiles" }, told.map(([value, name]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function* figures(found) {
  const { size, verification: debt, drift } = found;
  yield counts("Kinds", "Entries by kind", size.by_kind);
  yield counts("Layers", "Entries by layer", size.by_layer);
  yield parts("Heat", "How often entries are used", Object.entries(size.bands).map(([name, value]) => [name, value, TONES[name] ?? "tone-none"]));
  yield parts("Verification", "Entries that state facts", [["fresh", debt.fresh, "tone-good"], ["stale", debt.stale, "tone-warn"], ["never checked", debt.never, "tone-none"]]);
  yield parts("Drift", "Entries that cite paths of the project", [["unchanged", drift.citing - drift.gone - drift.changed, "tone-good"], ["changed since", drift.changed, "tone-warn"], ["gone", drift.gone, "tone-bad"]]);
}

function counts(title, told, given) {
  const rows = Object.entries(given);
  return figure(title, told, bars(title, rows), [title, "entries"], rows);
}

function parts(title, told, given) {
  return figure(title, told, shares(title, given), [title, "entries"], given.map(([name, value]) => [name, value]));
}

function lists(found) {
  const days = found.days;
  const drift = found.drift.entries;
  const debt = found.verification.most_used;
  return [
    list("Contradicted and not resolved", found.contradictions, (one) => entryItem(one.entry)),
    list(`Found often in ${days} days, never used`, found.dead_weight, (one) => entryItem(one.entry, el("span", {}, `found ${number(one.times)} times`))),
    list(`Never found in ${days} days, and rarely used`, found.never_found, (one) => entryItem(one.entry, el("span", {}, `idle for ${number(one.times)} days`))),
    list("Heavily used", found.heavily_used, (one) => entryItem(one.entry, el("span", {}, `applied ${number(one.times)} times`))),
    list("Cited paths that are gone or changed", drift, (one) => entryItem(one.entry, el("span", {}, said(one.told.join("; "))))),
    list("Most used without a recent check", debt, (one) => entryItem(one.entry, el("span", {}, `used ${number(one.times)} times`))),
    list("Similar entries", found.alike, (one) => one.entries.map((named) => entryItem(named))),
    found.missing ? el("p", { class: "muted" }, said(found.missing)) : null,
    list("Tags that may be misspelt", found.typos, (one) => el("li", {}, "#", said(one.tag), " → #", said(one.common))),
  ];
}

function list(title, listed, draw) {
  if (!listed.total) return null;
  const more = listed.total - listed.shown.length;
  return el("section", {}, el("h2", {}, title), el("ul", { class: "plainly" }, listed.shown.map(draw).flat()), more > 0 ? el("p", { class: "muted small" }, `${number(more)} more`) : null);
}
