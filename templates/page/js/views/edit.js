/**
 * Edit an entry, with a preview and without overwriting concurrent changes.
 */

import { entryPath, get, send } from "../api.js";
import { el, fill, said, short } from "../dom.js";
import { changes, isKept, readAs, reading, refused, verdict } from "../outlook.js";
import { announce, ask, entryLink, field, form, problem } from "../parts.js";

const WAIT = 250;
const ANYWAY = "Save anyway";

export async function show({ id }, { go, back, signal }) {
  let { data: entry, etag } = await get(entryPath(id), {}, signal);
  const text = el("textarea", { id: "text", spellcheck: "true", maxlength: "20000", value: entry.text });
  const preview = el("div", { class: "card", "aria-live": "polite" });
  const trouble = el("div", {});
  const save = el("button", { type: "submit", class: "main" }, "Save");
  const anyway = el("button", { type: "button", hidden: true, click: () => store(true) }, ANYWAY);
  let timer = 0;
  let control = new AbortController();

  const dirty = () => text.value.trim() !== entry.text.trim();

  async function look() {
    control.abort();
    control = new AbortController();
    save.disabled = !dirty();
    anyway.hidden = true;
    fill(preview, el("h2", {}, "Changes"), changes(entry.text, text.value));
    if (!dirty()) return;
    try {
      const read = await readAs(text.value, entry.kind, entry.id, control.signal);
      preview.append(reading(read), ...verdict(read.outlook, ANYWAY));
      save.disabled = isKept(read.outlook);
      anyway.hidden = !read.outlook.may_acknowledge;
    } catch (error) {
      if (error.name === "AbortError") return;
      preview.append(refused(error, ANYWAY));
      save.disabled = error.status === 422;
    }
  }

  async function store(acknowledge) {
    if (!dirty()) return;
    save.disabled = true;
    fill(trouble);
    try {
      const done = await send("PATCH", entryPath(entry.id), { text: text.value, acknowledge }, etag);
      announce(done.pending ? "Waiting for confirmation: this is about a person." : "Saved. The old text is in the archive.");
      if (done.pending) go("#/pending");
      else back(entryLink(entry.id));
    } catch (error) {
      save.disabled = false;
      if (error.status === 412) {
        await conflict();
        return;
      }
      fill(trouble, refused(error, ANYWAY));
      await look(); // shows the button to save anyway, if that is allowed
    }
  }

  /** The entry changed meanwhile: show its current text, and save nothing until the user chooses. */
  async function conflict() {
    try {
      ({ data: entry, etag } = await get(entryPath(id)));
    } catch (error) {
      fill(trouble, problem(error));
      return;
    }
    const theirs = el("button", { type: "button" }, "Use the current text");
    const mine = el("button", { type: "button" }, "Keep my text");
    theirs.addEventListener("click", () => {
      text.value = entry.text;
      settled();
    });
    mine.addEventListener("click", settled);
    fill(
      trouble,
      el("div", { class: "problem", role: "alert" }, el("p", {}, el("strong", {}, "This entry changed while you were editing it."), " Nothing was saved. Current text:"), el("div", { class: "block" }, said(short(entry.text, 8000))), el("div", { class: "row" }, theirs, mine)),
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
      const sure = await ask("Leave without saving?", (close) => form(close, "Leave", [el("p", {}, "Your changes will be lost.")], () => ({ sure: true }), true));
      if (!sure) return;
    }
    back(entryLink(id));
  }

  text.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, WAIT);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) store(false);
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
        {
          submit: (event) => {
            event.preventDefault();
            store(false);
          },
        },
        trouble,
        field(`Text of this ${entry.kind}`, text),
        preview,
        el("div", { class: "row" }, save, anyway, el("button", { type: "button", click: leave }, "Cancel"), el("span", { class: "muted small" }, "Id, date, kind and section stay the same. Changes by others are not overwritten.")),
      ),
    ),
    shown: () => text.focus(),
    escape: leave,
    async changed() {
      try {
        const { data } = await get(entryPath(id));
        if (data.text === entry.text) return;
        fill(trouble, el("div", { class: "notice", role: "status" }, "The entry has just changed in its file. When you save, you can choose which text to keep."));
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
