/**
 * A new entry: what it would be is seen first, and what the gate says of it.
 */

import { get, send } from "../api.js";
import { el, fill, said } from "../dom.js";
import { isKept, readAs, reading, refused, verdict } from "../outlook.js";
import { announce, entryItem, entryLink, field } from "../parts.js";

const WAIT = 250;
const TAGS = 12;
const ANYWAY = "Add it all the same";
const KINDS = [
  ["Kept in MEMORY.md", [
    ["decision", "what was chosen, and why"],
    ["learning", "what was found out"],
    ["problem", "what is wrong"],
    ["gotcha", "what to beware of"],
    ["note", "what is worth knowing"],
    ["goal", "what it is all for"],
    ["todo", "what is to be done"],
    ["progress", "what was done"],
  ]],
  ["Of this session, in SESSION.md", [
    ["experience", "what was tried, and how it went"],
    ["blocker", "what is in the way"],
    ["assumption", "what is taken to be so"],
    ["rejected", "what was decided against"],
  ]],
];
/** What is written stays while the tab does, for who looks something up in between. */
const empty = () => ({ kind: "decision", text: "", tags: "" });
let draft = empty();

/** The words with their tags: those that the text has already are not repeated. */
function message({ text, tags }) {
  const there = new Set([...text.matchAll(/#([\p{L}\p{N}_/-]+)/gu)].map((one) => one[1].toLowerCase()));
  const more = named(tags).filter((tag) => !there.has(tag.toLowerCase()));
  return [text.trim(), ...more.map((tag) => `#${tag}`)].join(" ");
}

/** Tags as they were typed: with or without a hash, parted by spaces or commas. */
function named(typed) {
  return [...new Set(typed.split(/[\s,;]+/).map((one) => one.replace(/^#+/, "")).filter(Boolean))];
}

export async function show(_, { go, back, signal }) {
  let common = [];
  const kind = el("select", { id: "kind" }, KINDS.map(([label, kinds]) => el("optgroup", { label }, kinds.map(([name, told]) => el("option", { value: name }, `${name} – ${told}`)))));
  const text = el("textarea", { id: "text", spellcheck: "true", maxlength: "19000", placeholder: "SQLite over Postgres – one file, no server" });
  const tags = el("input", { type: "text", id: "tags", maxlength: "900", autocomplete: "off" });
  const chips = el("div", { class: "row chips", role: "group", "aria-label": "Tags there are" });
  const preview = el("div", { class: "card", "aria-live": "polite" });
  const trouble = el("div", {});
  const save = el("button", { type: "submit", class: "main" }, "Add");
  const anyway = el("button", { type: "button", hidden: true, click: () => store(true) }, ANYWAY);
  const restore = el("button", { type: "button", hidden: true, click: putBack }, "Restore what was forgotten");
  let replaces = "";
  let seen = null;
  let timer = 0;
  let control = new AbortController();

  /** The tags of a large memory take a while to be counted; nobody waits for them. */
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

  /** Show what would come of it; gives whether it is written if it is sent. */
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
      fill(preview, el("h2", {}, "What it would be"), el("p", { class: "muted" }, "One fact, with its reason. [[Names]] in brackets are things of the graph."));
      return;
    }
    try {
      const read = await readAs(message(draft), draft.kind, "", control.signal);
      seen = read.outlook;
      save.disabled = isKept(seen);
      anyway.hidden = !seen.may_acknowledge;
      restore.hidden = seen.verdict !== "forgotten";
      fill(preview, el("h2", {}, "What it would be"), el("p", { class: "text" }, said(read.text)), reading(read), verdict(seen, ANYWAY), place(), near());
    } catch (error) {
      if (error.name === "AbortError") return;
      save.disabled = error.status === 422;
      fill(preview, el("h2", {}, "What it would be"), refused(error, ANYWAY));
    }
  }

  function place() {
    return seen.verdict === "written" || seen.verdict === "loop" ? el("p", { class: "muted small" }, "It goes to ", el("code", {}, seen.file), ".") : null;
  }

  /** Entries that the new one may put right: one of them can make way for it. */
  function near() {
    if (seen.verdict !== "written" || !seen.related.length) return null;
    if (!seen.related.some((one) => one.id === replaces)) replaces = "";
    return el(
      "fieldset",
      { class: "near" },
      el("legend", {}, "Similar entries. Does it replace one of them?"),
      el("label", { class: "row" }, radio("", "none"), "They all stay"),
      el("ul", { class: "plainly" }, seen.related.map((one) => entryItem(one, el("label", { class: "row" }, radio(one.id, one.id), "The new entry takes its place")))),
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
    if (done.pending) announce("It is about a person, and waits for a yes.");
    else announce(`Added to ${done.file}.${done.replaced ? " What no longer holds is in the archive." : ""}`, ...more);
  }

  async function putBack() {
    try {
      const done = await send("POST", `/api/v1/entries/${encodeURIComponent(seen.id)}/restore`);
      draft = empty();
      announce("It is back where it stood.");
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
        field("What is to be remembered, with its reason", text),
        field("Tags", tags),
        chips,
        preview,
        trouble,
        el("div", { class: "row" }, save, anyway, restore, el("button", { type: "button", click: clear }, "Clear"), el("span", { class: "muted small" }, "Ctrl Enter adds it. What you write stays in this tab until it is added.")),
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
