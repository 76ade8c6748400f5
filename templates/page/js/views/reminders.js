/**
 * List, add and complete reminders.
 */

import { get, send } from "../api.js";
import { el, fill, said } from "../dom.js";
import { announce, field, problem } from "../parts.js";

export async function show() {
  let all = false;
  const list = el("div", {});
  const trouble = el("div", {});
  const control = new AbortController();
  const message = el("input", { type: "text", maxlength: "2000", required: true });
  const when = el("input", { type: "text", maxlength: "200", value: "next session" });
  const done = el("input", { type: "checkbox" });
  done.addEventListener("change", () => {
    all = done.checked;
    run();
  });

  async function run() {
    try {
      const { data } = await get("/api/v1/reminders", { all }, control.signal);
      draw(data.reminders);
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, problem(error));
    }
  }

  function draw(reminders) {
    const waiting = reminders.filter((one) => !one.done);
    const over = reminders.filter((one) => one.done);
    const focused = document.activeElement?.dataset?.id;
    fill(
      list,
      el("h2", {}, `Waiting: ${waiting.length}`),
      waiting.length ? el("ul", { class: "plainly" }, waiting.map(item)) : el("p", { class: "muted" }, "No reminders."),
      all ? [el("h2", {}, `Done: ${over.length}`), el("ul", { class: "plainly" }, over.map(item))] : null,
    );
    if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  }

  function item(one) {
    return el(
      "li",
      { class: "row" },
      one.done ? null : el("button", { type: "button", "data-id": one.id, "aria-label": `Done: ${one.text}`, click: () => tick(one) }, "Done"),
      el("span", {}, one.done ? el("del", {}, said(one.text)) : said(one.text)),
      el("span", { class: "muted small" }, said(due(one))),
    );
  }

  async function tick(one) {
    try {
      await send("POST", `/api/v1/reminders/${encodeURIComponent(one.id)}/done`);
      announce("Done.");
      await run();
      (list.querySelector("button") ?? message).focus();
    } catch (error) {
      fill(trouble, problem(error));
    }
  }

  async function add(event) {
    event.preventDefault();
    try {
      const made = await send("POST", "/api/v1/reminders", { message: message.value, when: when.value });
      fill(trouble);
      announce(`Added: ${due(made)}.`);
      message.value = "";
      await run();
    } catch (error) {
      fill(trouble, problem(error));
    }
    message.focus();
  }

  await run();
  const move = (by) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[Math.min(buttons.length - 1, Math.max(0, at + by))]?.focus();
  };
  return {
    title: "Reminders",
    node: el(
      "div",
      {},
      el("h1", {}, "Reminders"),
      el("form", { class: "card", submit: add }, field("Reminder", message), field("When (for example: next session, tomorrow 9am, in 3 days, when I mention auth)", when), el("button", { type: "submit", class: "main" }, "Add")),
      trouble,
      el("label", { class: "row" }, done, "Show completed reminders"),
      list,
    ),
    changed: (files) => files.some((name) => name === "REMINDERS.md") && run(),
    leave: () => control.abort(),
    keys: { "/": () => message.focus(), j: () => move(1), k: () => move(-1) },
  };
}

function due(one) {
  if (one.done) return one.done === "0001-01-01" ? "done" : `done on ${one.done}`;
  if (one.next_session) return one.shown ? `next session · shown ${one.shown}` : "next session";
  if (one.trigger.length) return `when somebody mentions ${one.trigger.join(" or ")}`;
  if (one.unclear) return `unclear: ${one.unclear}`;
  const moment = one.due ? one.due.slice(0, 16).replace("T", " ") : "at any time";
  const when = one.every ? `${one.every}: ${moment}` : moment;
  return one.shown ? `${when} · shown ${one.shown}` : when;
}
