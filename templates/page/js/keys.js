/**
 * Keyboard shortcuts. Single letters can be turned off (WCAG 2.1.4) and never act while typing.
 */

import { el } from "./dom.js";
import { ask } from "./parts.js";

const PLACES = { s: "search", t: "timeline", g: "graph", h: "health", r: "reminders", a: "archive", p: "pending" };
const WAIT = 1500;
const KEYS = [
  ["/", "search"],
  ["j  k", "next and previous entry"],
  ["Home  End", "first and last entry"],
  ["Enter", "open the entry"],
  ["e", "edit the entry"],
  ["v", "verify the entry"],
  ["f", "forget the entry"],
  ["n", "add an entry"],
  ["g then s t g h r a p", "search, timeline, graph, health, reminders, archive, pending"],
  ["Ctrl Enter", "save an edit, or a new entry"],
  ["Esc", "close the dialog, leave the field or the entry"],
  ["?", "this list"],
];

function areOn() {
  try {
    return localStorage.getItem("mind.keys") !== "off";
  } catch {
    return true;
  }
}

function isWriting(node) {
  return node instanceof HTMLElement && (node.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(node.tagName));
}

/** Listen for keys; `view()` returns the current view, with its own `keys`. */
export function start({ go, view }) {
  let leading = 0;
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.isComposing) return;
    if (event.key === "Escape") {
      escape(event, view(), go);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target) || !areOn()) return;
    if (event.key === "?") {
      event.preventDefault();
      showKeys();
      return;
    }
    const place = leading > Date.now() ? PLACES[event.key] : undefined;
    leading = event.key === "g" && !place ? Date.now() + WAIT : 0;
    if (place) go(`#/${place}`);
    else if (event.key === "/") find(view(), go);
    else if (event.key === "n") go("#/add");
    else if (event.key === "g" || !view()?.keys?.[event.key]) return;
    else view().keys[event.key]();
    event.preventDefault();
  });
}

function find(shown, go) {
  if (shown?.keys?.["/"]) shown.keys["/"]();
  else go("#/search");
}

function escape(event, shown, go) {
  if (shown?.escape) {
    event.preventDefault(); // else the same key press would close the dialog that the view opens
    shown.escape();
  } else if (isWriting(event.target)) event.target.blur();
  else if (shown?.back) go(shown.back);
}

/** Show the shortcuts, and the option that turns them off. */
export function showKeys() {
  return ask("Shortcuts", (close) => {
    const on = el("input", { type: "checkbox", id: "keys-on" });
    on.checked = areOn();
    on.addEventListener("change", () => {
      try {
        localStorage.setItem("mind.keys", on.checked ? "on" : "off");
      } catch {
        // storage is disabled: the setting cannot be saved
      }
    });
    return [
      el(
        "table",
        { class: "keys" },
        el("tbody", {}, KEYS.map(([keys, told]) => el("tr", {}, el("td", {}, keys.split(/ +/).map((key) => [key === "then" ? "then" : el("kbd", {}, key), " "])), el("td", {}, told)))),
      ),
      el("p", {}, el("label", { class: "row" }, on, "Enable single-letter shortcuts")),
      el("button", { type: "button", click: () => close() }, "Close"),
    ];
  });
}
