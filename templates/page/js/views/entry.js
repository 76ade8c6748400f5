/**
 * One entry: text, warnings, neighbours, relations and history.
 */

import { entryPath, get, send } from "../api.js";
import { counted, el, fill, linked, number, rendered, said, short, unmarked } from "../dom.js";
import { refused } from "../outlook.js";
import { announce, ask, entryItem, entryLink, field, flags, form, problem } from "../parts.js";

/** Characters of a text shown at first: a longer line takes long to lay out. */
const FIRST = 8000;
const ANYWAY = "Archive anyway";
/** Things and tags whose relations are shown. */
const THINGS = 3;

export async function show({ id }, { go, signal }) {
  const { data: entry, etag } = await get(entryPath(id), {}, signal);
  const node = el("div", {});
  const around = el("div", { class: "two" });
  fill(node, head(entry, etag, go), around);
  const control = new AbortController();
  const beside = near(entry, control.signal).then((parts) => fill(around, parts));
  await Promise.race([beside, new Promise((resolve) => setTimeout(resolve, 150))]);
  const open = (name) => () => node.querySelector(`[data-do="${name}"]`)?.click();
  return {
    title: short(entry.title, 60),
    node,
    back: "#/search",
    escape: () => history.length > 1 ? history.back() : go("#/search"),
    keys: { e: open("edit"), v: open("verify"), f: open("forget"), j: () => step(node, 1), k: () => step(node, -1) },
    async changed() {
      if (document.querySelector("dialog[open]")) return;
      try {
        const { data, etag: now } = await get(entryPath(id), {}, control.signal);
        const focused = document.activeElement?.dataset?.do;
        fill(node, head(data, now, go), around);
        if (focused) node.querySelector(`[data-do="${focused}"]`)?.focus();
        fill(around, await near(data, control.signal));
      } catch (error) {
        if (error.name !== "AbortError") fill(node, el("h1", {}, "This entry no longer exists"), problem(error), el("a", { href: "#/archive" }, "See the archive"));
      }
    },
    leave: () => control.abort(),
  };
}

/** Move the focus to the next or previous link. */
function step(node, by) {
  const links = [...node.querySelectorAll("a[href]")];
  const at = links.indexOf(document.activeElement);
  links[Math.min(links.length - 1, Math.max(0, at < 0 ? 0 : at + by))]?.focus();
}

function head(entry, etag, go) {
  const fixed = Boolean(entry.commit);
  return [
    el("h1", {}, said(unmarked(short(entry.title || entry.text, 200)))),
    el("div", { class: "row" }, entry.stale?.length ? flags(entry.stale) : el("span", { class: "muted" }, "No warnings")),
    el("div", { class: `card tone kind-${entry.kind}` }, body(entry), facts(entry)),
    el(
      "div",
      { class: "row" },
      fixed ? null : el("a", { class: "button", "data-do": "edit", href: `${entryLink(entry.id)}/edit` }, "Edit"),
      fixed ? null : el("button", { type: "button", "data-do": "verify", click: () => verify(entry) }, "Mark as verified"),
      fixed ? null : el("button", { type: "button", class: "bad", "data-do": "forget", click: () => forget(entry, etag, go) }, "Forget"),
      el("button", { type: "button", "data-do": "copy", click: () => copy(entry.id) }, "Copy id"),
    ),
  ];
}

function body({ text, html }) {
  if (text.length <= FIRST) return el("div", { class: "rendered" }, rendered(html));
  const node = el("p", { class: "text" });
  fill(node, linked(text.slice(0, FIRST)));
  const more = el("button", { type: "button", click: () => fill(node, linked(text)) }, `Show all ${number(text.length)} characters`);
  node.append(" … ", more);
  return node;
}

function facts(entry) {
  const told = [
    ["Kind", [entry.kind, entry.status].filter(Boolean).join(", ") + (entry.why ? ` (${entry.why})` : "")],
    ["Date", entry.date ?? "none"],
    ["Tags", entry.tags.length ? entry.tags.map((tag) => [el("a", { class: "chip", href: `#/search?${new URLSearchParams({ tag })}` }, "#", said(tag)), " "]) : ""],
    ["Things", entry.links.length ? entry.links.map((name) => [el("a", { class: "chip", href: `#/graph?${new URLSearchParams({ start: name })}` }, said(name)), " "]) : ""],
    ["Section", entry.section.join(" › ")],
    ["File", entry.commit ? `commit ${entry.commit.slice(0, 10)}` : `${entry.file}:${entry.line}`],
    ["Layer", entry.layer],
    ["Language", entry.language ?? ""],
    ...Object.entries(entry.fields).map(([name, value]) => [name, value]),
    ["Id", el("code", {}, entry.id)],
  ];
  return el("dl", { class: "facts" }, told.filter(([, value]) => value).map(([name, value]) => [el("dt", {}, said(name)), el("dd", {}, typeof value === "string" ? said(value) : value)]));
}

async function near(entry, signal) {
  const things = [...new Set([...entry.links, ...entry.tags])].slice(0, THINGS);
  const [time, past, ...walks] = await Promise.allSettled([
    get("/api/v1/timeline", { anchor: entry.id, before: 4, after: 4 }, signal),
    get(entryPath(entry.id, "/history"), {}, signal),
    ...things.map((start) => get("/api/v1/graph", { start }, signal)),
  ]);
  signal.throwIfAborted();
  return [
    section("Nearby in time", time, (found) => neighbours(found)),
    el("section", {}, el("h2", {}, "Relations"), relations(things, walks)),
    section("History", past, history_),
  ];
}

function section(title, settled, draw) {
  return el("section", {}, el("h2", {}, title), settled.status === "fulfilled" ? draw(settled.value.data) : problem(settled.reason));
}

function neighbours(found) {
  const items = [
    ...found.before.map((one) => entryItem(one)),
    el("li", {}, el("strong", {}, "this entry"), el("span", { class: "muted small" }, ` ${found.anchor.date ?? "no date"}`)),
    ...found.after.map((one) => entryItem(one)),
  ];
  return el("ul", { class: "plainly" }, items);
}

function relations(things, walks) {
  if (!things.length) return el("p", { class: "muted" }, "No [[things]] and no tags.");
  return things.map((name, at) => {
    if (walks[at].status !== "fulfilled") return problem(walks[at].reason);
    const { steps, entries } = walks[at].value.data;
    return [
      el("h3", {}, el("a", { href: `#/graph?${new URLSearchParams({ start: name })}` }, said(name))),
      el("ul", { class: "plainly" }, steps.slice(0, 8).map((one) => el("li", {}, said(one.subject), " ", el("span", { class: "muted" }, said(one.predicate)), " ", said(one.object)))),
      el("p", { class: "muted small" }, `${counted(entries.length, "entry", "entries")} ${entries.length === 1 ? "mentions" : "mention"} it`),
    ];
  });
}

function history_(past) {
  const earlier = past.earlier.map((one) =>
    el("li", {}, el("div", { class: "muted small" }, `until ${one.archived}: `, said(one.reason)), el("div", { class: "block" }, said(short(one.text.trim(), FIRST)))),
  );
  const versions = past.versions.map((one) =>
    el(
      "li",
      {},
      el("div", {}, el("strong", {}, said(one.what)), one.commit ? [" ", said(one.commit.subject)] : " not committed yet"),
      one.commit ? el("div", { class: "muted small row" }, el("code", {}, one.commit.id.slice(0, 10)), said(one.commit.author), el("span", {}, one.commit.at.slice(0, 10))) : null,
      one.reason ? el("div", { class: "muted small" }, said(one.reason)) : null,
      one.text ? el("details", {}, el("summary", {}, "Text at that time"), el("div", { class: "block" }, said(short(one.text, FIRST)))) : null,
    ),
  );
  const commits = past.commits.map((line) => el("li", { class: "mono" }, said(line)));
  return [
    earlier.length ? el("ul", { class: "plainly" }, earlier) : el("p", { class: "muted" }, "No earlier text."),
    versions.length ? [el("h3", {}, "Versions in git"), el("ul", { class: "plainly" }, versions)] : null,
    commits.length ? [el("h3", {}, "Later commits to cited files"), el("ul", { class: "plainly" }, commits)] : null,
  ];
}

async function verify(entry) {
  const note = el("input", { type: "text", maxlength: "1000" });
  const given = await ask("Mark as verified", (close) => form(close, "Confirm", [el("p", { class: "muted" }, "Sets today as the date of the last check."), field("How was it checked? (optional)", note)], () => ({ note: note.value })));
  if (!given) return;
  try {
    await send("POST", entryPath(entry.id, "/verify"), given);
    announce("Marked as verified today.");
  } catch (error) {
    announce(problem(error));
  }
}

async function forget(entry, etag, go) {
  const reason = el("input", { type: "text", maxlength: "1024", required: true });
  const by = el("input", { type: "text", maxlength: "200" });
  const given = await ask("Forget this entry", (close) =>
    form(
      close,
      "Forget",
      [el("p", { class: "muted" }, "The entry moves to the archive. You can restore it."), field("Why?", reason), field("Id of the entry that replaces it (optional)", by)],
      () => (reason.value.trim() ? { reason: reason.value, replaced_by: by.value.trim() } : "Enter a reason."),
      true,
    ),
  );
  if (given) await archive(entry, etag, go, given);
}

async function archive(entry, etag, go, given) {
  try {
    const done = await send("POST", entryPath(entry.id, "/forget"), given, etag);
    announce(done.protected ? "Archived, although it was protected." : "Archived.");
    go("#/archive");
  } catch (error) {
    if (error.code !== "protected") announce(problem(error));
    else if (await ask("This entry is protected", (close) => form(close, ANYWAY, [refused(error, ANYWAY)], () => true, true)))
      await archive(entry, etag, go, { ...given, acknowledge: true });
  }
}

async function copy(id) {
  try {
    await navigator.clipboard.writeText(id);
    announce(`Copied ${id}.`);
  } catch {
    announce(`The id is ${id}.`);
  }
}
