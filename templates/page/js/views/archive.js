/**
 * Search the archive and restore entries.
 */

import { entryPath, get, send } from "../api.js";
import { counted, el, fill, said, short } from "../dom.js";
import { announce, entryLink, problem } from "../parts.js";

const PAGE = 50;
const WAIT = 150;

export async function show({ parameters }, { go, replace }) {
  const state = { q: parameters.get("q") ?? "", offset: 0 };
  const input = el("input", { type: "search", value: state.q, maxlength: "2000", placeholder: "Words of an entry or of the reason" });
  const told = el("p", { class: "muted", role: "status" });
  const list = el("ul", { class: "plainly" });
  const more = el("button", { type: "button" }, "Show more");
  const trouble = el("div", {});
  let control = new AbortController();
  let timer = 0;

  async function run(from = 0) {
    control.abort();
    control = new AbortController();
    try {
      const limit = from ? PAGE : Math.max(PAGE, state.offset + PAGE);
      const { data } = await get("/api/v1/archive", { q: state.q, offset: from, limit: Math.min(limit, 1000) }, control.signal);
      fill(trouble);
      fill(told, counted(data.total, "archived text"));
      const items = data.archived.map(item);
      if (from) list.append(...items);
      else fill(list, items);
      state.offset = from;
      more.hidden = list.children.length >= data.total;
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, problem(error));
    }
  }

  function item(one) {
    const corrected = one.replaced_by === one.id;
    return el(
      "li",
      {},
      el("div", { class: "muted small row" }, el("span", {}, one.archived), one.kind ? el("span", {}, one.kind) : null, el("span", {}, said(one.reason)), one.replaced_by ? el("a", { href: entryLink(one.replaced_by) }, corrected ? "current version" : "replacement") : null),
      el("div", { class: "block" }, said(short(one.text.trim(), 2000))),
      corrected ? null : el("button", { type: "button", "aria-label": `Restore ${short(one.text.trim(), 60)}`, click: () => restore(one) }, "Restore"),
    );
  }

  async function restore(one) {
    try {
      const back = await send("POST", entryPath(one.id, "/restore"));
      announce("Restored.");
      go(entryLink(back.entry.id));
    } catch (error) {
      fill(trouble, problem(error));
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      state.q = input.value.trim();
      state.offset = 0;
      replace(state.q ? `#/archive?${new URLSearchParams({ q: state.q })}` : "#/archive");
      run();
    }, WAIT);
  });
  more.addEventListener("click", () => run(list.children.length));
  const move = (by) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[Math.min(buttons.length - 1, Math.max(0, at + by))]?.focus();
  };
  await run();
  return {
    title: "Archive",
    node: el("div", {}, el("h1", {}, "Archive"), el("label", {}, el("span", { class: "hidden" }, "Search the archive"), input), told, trouble, list, more),
    changed: (files) => files.includes("ARCHIVE.md") && run(),
    leave() {
      clearTimeout(timer);
      control.abort();
    },
    keys: { "/": () => input.focus(), j: () => move(1), k: () => move(-1) },
  };
}
