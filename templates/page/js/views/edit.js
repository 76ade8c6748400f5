/**
 * Correcting an entry: what changes is seen first, and nobody's change is overwritten.
 */

import { entryPath, get, send } from "../api.js";
import { difference } from "../diff.js";
import { el, fill, said, short } from "../dom.js";
import { announce, ask, entryLink, field, form, problem } from "../parts.js";

const WAIT = 250;

export async function show({ id }, { go, signal }) {
  let { data: entry, etag } = await get(entryPath(id), {}, signal);
  const text = el("textarea", { id: "text", spellcheck: "true", maxlength: "20000", value: entry.text });
  const preview = el("div", { class: "card", "aria-live": "polite" });
  const trouble = el("div", {});
  const save = el("button", { type: "submit", class: "main" }, "Save");
  let timer = 0;
  let control = new AbortController();

  const dirty = () => text.value.trim() !== entry.text.trim();

  async function look() {
    control.abort();
    control = new AbortController();
    save.disabled = !dirty();
    fill(preview, el("h2", {}, "What changes"), diff(entry.text, text.value.trim()));
    if (!dirty()) return;
    try {
      const read = await readAs(entry, text.value, control.signal);
      preview.append(...read);
    } catch (error) {
      if (error.name === "AbortError") return;
      preview.append(problem(error));
      save.disabled = error.status === 422;
    }
  }

  async function store(event) {
    event.preventDefault();
    if (!dirty()) return;
    save.disabled = true;
    fill(trouble);
    try {
      const done = await send("PATCH", entryPath(entry.id), { text: text.value }, etag);
      announce(done.pending ? `It waits for a yes: mind confirm ${done.pending.id}` : "Saved. The old words are in the archive.");
      go(entryLink(entry.id));
    } catch (error) {
      save.disabled = false;
      if (error.status === 412) await conflict();
      else fill(trouble, problem(error));
    }
  }

  /** Somebody else changed it: their words are shown, and nothing is sent until one decides. */
  async function conflict() {
    try {
      ({ data: entry, etag } = await get(entryPath(id)));
    } catch (error) {
      fill(trouble, problem(error));
      return;
    }
    const theirs = el("button", { type: "button" }, "Take what it says now");
    const mine = el("button", { type: "button" }, "Keep my words");
    theirs.addEventListener("click", () => {
      text.value = entry.text;
      settled();
    });
    mine.addEventListener("click", settled);
    fill(
      trouble,
      el("div", { class: "problem", role: "alert" }, el("p", {}, el("strong", {}, "It was changed meanwhile."), " Nothing was saved. It says now:"), el("div", { class: "block" }, said(short(entry.text, 8000))), el("div", { class: "row" }, theirs, mine)),
    );
    theirs.focus();
    look();
  }

  function settled() {
    fill(trouble);
    text.focus();
    look();
  }

  async function leave() {
    if (dirty()) {
      const sure = await ask("Leave without saving?", (close) => form(close, "Leave", [el("p", {}, "What you wrote is lost.")], () => ({ sure: true }), true));
      if (!sure) return;
    }
    go(entryLink(id));
  }

  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, WAIT);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) store(event);
  });
  look();
  return {
    title: `Edit ${short(entry.title, 60)}`,
    node: el(
      "div",
      {},
      el("h1", {}, "Edit: ", said(short(entry.title || entry.text, 160))),
      el(
        "form",
        { submit: store },
        trouble,
        field(`The whole text of this ${entry.kind}`, text),
        preview,
        el("div", { class: "row" }, save, el("button", { type: "button", click: leave }, "Cancel"), el("span", { class: "muted small" }, "Its id, day, kind and section stay. What somebody else changes meanwhile is not overwritten.")),
      ),
    ),
    shown: () => text.focus(),
    escape: leave,
    async changed() {
      try {
        const { data } = await get(entryPath(id));
        if (data.text === entry.text) return;
        fill(trouble, el("div", { class: "notice", role: "status" }, "The entry was just changed in its file. Saving will ask what to do."));
      } catch (error) {
        fill(trouble, problem(error));
      }
    },
    leave() {
      clearTimeout(timer);
      control.abort();
    },
  };
}

function diff(before, after) {
  if (before.trim() === after) return el("p", { class: "muted" }, "Nothing yet.");
  const parts = difference(before.trim(), after).map(([kind, text]) => {
    if (kind === "gone") return el("del", {}, said(text));
    return kind === "new" ? el("ins", {}, said(text)) : said(text);
  });
  return el("p", { class: "diff" }, parts);
}

/** How the service reads the new words; it refuses here what it would refuse to save. */
async function readAs(entry, text, signal) {
  const read = await send("POST", "/api/v1/preview", { message: text, type: entry.kind }, "", signal);
  const tags = read.tags.length ? [", tags ", said(read.tags.join(", "))] : [];
  const things = read.links.length ? [", things ", said(read.links.join(", "))] : [];
  return [el("p", { class: "muted small" }, "It would be read as: ", read.kind, tags, things)];
}
