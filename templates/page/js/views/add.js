/**
 * Add an entry, with a preview and the results of the checks.
 */

import { get, send } from "../api.js";
import { el, fill, said } from "../dom.js";
import { isKept, readAs, reading, refused, verdict } from "../outlook.js";
import { announce, entryItem, entryLink, field } from "../parts.js";

const WAIT = 250;
const TAGS = 12;
const ANYWAY = "Add anyway";
const KINDS = [
  ["Saved in MEMORY.md", [
    ["decision", "a choice, and why"],
    ["learning", "something you found out"],
    ["problem", "something broken"],
    ["gotcha", "a pitfall, and how to avoid it"],
    ["note", "any other fact"],
    ["goal", "the purpose of the project"],
    ["todo", "a task"],
    ["progress", "finished work"],
  ]],
  ["For this session, saved in SESSION.md", [
    ["experience", "something you tried, and the result"],
    ["blocker", "something that blocks the work"],
    ["assumption", "something taken as true"],
    ["rejected", "an approach you turned down, and why"],
  ]],
];
/** The draft is kept while the tab is open, so that you can visit other views meanwhile. */
const empty = () => ({ kind: "decision", text: "", tags: "" });
let draft = empty();

/** The text with its tags appended, except tags that it already contains. */
function message({ text, tags }) {
  const there = new Set([...text.matchAll(/#([\p{L}\p{N}_/-]+)/gu)].map((one) => one[1].toLowerCase()));
  const more = named(tags).filter((tag) => !there.has(tag.toLowerCase()));
  return [text.trim(), ...more.map((tag) => `#${tag}`)].join(" ");
}

/** Parse typed tags: with or without a hash, separated by spaces or commas. */
function named(typed) {
  return [...new Set(typed.split(/[\s,;]+/).map((one) => one.replace(/^#+/, "")).filter(Boolean))];
}

export async function show(_, { go, back, signal }) {
  let common = [];
  const kind = el("select", { id: "kind" }, KINDS.map(([label, kinds]) => el("optgroup", { label }, kinds.map(([name, told]) => el("option", { value: name }, `${name} – ${told}`)))));
  const text = el("textarea", { id: "text", spellcheck: "true", maxlength: "19000", placeholder: "SQLite over Postgres – one file, no server" });
  const tags = el("input", { type: "text", id: "tags", maxlength: "900", autocomplete: "off" });
  const chips = el("div", { class: "row chips", role: "group", "aria-label": "Existing tags" });
  const preview = el("div", { class: "card", "aria-live": "polite" });
  const trouble = el("div", {});
  const save = el("button", { type: "submit", class: "main" }, "Add");
  const anyway = el("button", { type: "button", hidden: true, click: () => store(true) }, ANYWAY);
  const restore = el("button", { type: "button", hidden: true, click: putBack }, "Restore the forgotten entry");
  let replaces = "";
  let seen = null;
  let timer = 0;
  let control = new AbortController();

  /** Load the tags in the background: counting them takes a while in a large memory. */
  async function offerTags() {
    try {
      const { data } = await get("/api/v1/tags", {}, signal);
      common = data.allowed.length ? data.allowed.map((one) => one.replace(/^#/, "")) : data.tags.slice(0, TAGS).map((one) => one.name);
      drawTags();
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, refused(error, ANYWAY));
    }
  }

  kind.value = draft.kind;
  text.value = draft.text;
  tags.value = draft.tags;

  function note() {
    draft = { kind: kind.value, text: text.value, tags: tags.value };
    drawTags();
    clearTimeout(timer);
    timer = setTimeout(look, WAIT);
  }

  function drawTags() {
    const chosen = new Set(named(tags.value).map((one) => one.toLowerCase()));
    fill(chips, common.map((tag) => el("button", { type: "button", class: "chip", "aria-pressed": String(chosen.has(tag.toLowerCase())), "data-tag": tag, click: () => turn(tag) }, "#", said(tag))));
  }

  function turn(tag) {
    const there = named(tags.value);
    const without = there.filter((one) => one.toLowerCase() !== tag.toLowerCase());
    tags.value = (without.length < there.length ? without : [...there, tag]).join(" ");
    note();
    chips.querySelector(`[data-tag="${CSS.escape(tag)}"]`)?.focus();
  }

  /** Show the preview, and enable the buttons that apply. */
  async function look() {
    control.abort();
    control = new AbortController();
    seen = null;
    anyway.hidden = true;
    restore.hidden = true;
    const words = text.value.trim();
    save.disabled = !words;
    if (!words) {
      replaces = "";
      fill(preview, el("h2", {}, "Preview"), el("p", { class: "muted" }, "Write one fact and its reason. [[Names]] in brackets appear in the graph."));
      return;
    }
    try {
      const read = await readAs(message(draft), draft.kind, "", control.signal);
      seen = read.outlook;
      save.disabled = isKept(seen);
      anyway.hidden = !seen.may_acknowledge;
      restore.hidden = seen.verdict !== "forgotten";
      fill(preview, el("h2", {}, "Preview"), el("p", { class: "text" }, said(read.text)), reading(read), verdict(seen, ANYWAY), place(), near());
    } catch (error) {
      if (error.name === "AbortError") return;
      save.disabled = error.status === 422;
      fill(preview, el("h2", {}, "Preview"), refused(error, ANYWAY));
    }
  }

  function place() {
    return seen.verdict === "written" || seen.verdict === "loop" ? el("p", { class: "muted small" }, "Will be saved in ", el("code", {}, seen.file), ".") : null;
  }

  /** Similar entries, one of which the new entry can replace. */
  function near() {
    if (seen.verdict !== "written" || !seen.related.length) return null;
    if (!seen.related.some((one) => one.id === replaces)) replaces = "";
    return el(
      "fieldset",
      { class: "near" },
      el("legend", {}, "Similar entries. Does it replace one of them?"),
      el("label", { class: "row" }, radio("", "none"), "None"),
      el("ul", { class: "plainly" }, seen.related.map((one) => entryItem(one, el("label", { class: "row" }, radio(one.id, one.id), "Replace this entry")))),
    );
  }

  function radio(value, label) {
    const input = el("input", { type: "radio", name: "replaces", value, "data-replaces": label });
    input.checked = replaces === value;
    input.addEventListener("change", () => {
      replaces = value;
    });
    return input;
  }

  async function store(acknowledge) {
    if (!text.value.trim()) return;
    clearTimeout(timer);
    draft = { kind: kind.value, text: text.value, tags: tags.value };
    save.disabled = true;
    fill(trouble);
    try {
      const done = await send("POST", "/api/v1/entries", { message: message(draft), type: draft.kind, acknowledge, replaces });
      if (done.known) {
        await look();
        fill(trouble, verdict({ verdict: "known", related: [done.entry] }, ANYWAY));
        return;
      }
      draft = empty();
      tell(done);
      back(done.pending ? "#/pending" : entryLink(done.entry.id));
    } catch (error) {
      fill(trouble, refused(error, ANYWAY));
      await look();
      if (error.code === "protected") anyway.hidden = false;
    }
  }

  function tell(done) {
    const more = done.reminders.map((one) => ` Reminder: ${one.text}.`);
    if (done.pending) announce("Waiting for confirmation: this is about a person.");
    else announce(`Added to ${done.file}.${done.replaced ? " The replaced entry is in the archive." : ""}`, ...more);
  }

  async function putBack() {
    try {
      const done = await send("POST", `/api/v1/entries/${encodeURIComponent(seen.id)}/restore`);
      draft = empty();
      announce("Restored.");
      back(entryLink(done.entry.id));
    } catch (error) {
      fill(trouble, refused(error, ANYWAY));
    }
  }

  function clear() {
    draft = empty();
    kind.value = draft.kind;
    text.value = "";
    tags.value = "";
    fill(trouble);
    note();
    text.focus();
  }

  kind.addEventListener("change", note);
  for (const input of [text, tags]) {
    input.addEventListener("input", note);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) store(false);
    });
  }
  offerTags();
  look();
  return {
    title: "Add an entry",
    node: el(
      "div",
      {},
      el("h1", {}, "Add an entry"),
      el(
        "form",
        {
          submit: (event) => {
            event.preventDefault();
            store(false);
          },
        },
        field("Kind", kind),
        field("What to remember, and why", text),
        field("Tags", tags),
        chips,
        preview,
        trouble,
        el("div", { class: "row" }, save, anyway, restore, el("button", { type: "button", click: clear }, "Clear"), el("span", { class: "muted small" }, "Ctrl Enter adds it. Until then, the draft stays in this tab.")),
      ),
    ),
    shown: () => text.focus(),
    back: "#/search",
    escape: () => (history.length > 1 ? history.back() : go("#/search")),
    leave() {
      clearTimeout(timer);
      control.abort();
    },
  };
}
