/**
 * Live notices of changed files, as server-sent events.
 */

import { stream } from "./api.js";

const FIRST = 1000;
const LONGEST = 30000;
/** Milliseconds of silence after which the stream counts as dead (the service sends a beat every 15 s). */
const SILENT = 40000;

/** Parse the complete server-sent events of a growing text; return them and the rest. */
export function parsed(text) {
  const blocks = text.split(/\r?\n\r?\n/);
  const rest = blocks.pop();
  const events = blocks.map((block) => {
    const event = { event: "message", id: "", data: "" };
    for (const line of block.split(/\r?\n/)) {
      const found = /^(event|id|data):\s?(.*)$/.exec(line);
      if (found) event[found[1]] += found[1] === "data" && event.data ? `\n${found[2]}` : found[1] === "event" ? "" : found[2];
      if (found && found[1] === "event") event.event = found[2];
    }
    return event;
  });
  return { events: events.filter((one) => one.data), rest };
}

/** Milliseconds to wait before attempt number `attempt`, from 0: doubled each time, with jitter. */
export function delay(attempt, chance = Math.random()) {
  return Math.min(LONGEST, FIRST * 2 ** attempt) * (0.75 + chance / 2);
}

/** Follow the files until the returned function is called. Calls `tell(state)` and `changed(files)`. */
export function follow({ tell, changed }) {
  let last = "";
  let attempt = 0;
  let stopped = false;
  let current = null;
  let timer = 0;

  async function listen() {
    current = new AbortController();
    const answer = await stream("/api/v1/events", last, current.signal);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let quiet = setTimeout(() => current.abort(), SILENT);
    tell("on");
    attempt = 0;
    try {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(quiet);
        quiet = setTimeout(() => current.abort(), SILENT);
        const { events, rest } = parsed(text + value);
        text = rest;
        for (const one of events) {
          last = one.id || last;
          if (one.event === "changed") changed(JSON.parse(one.data).files);
        }
      }
    } finally {
      clearTimeout(quiet);
    }
  }

  async function run() {
    while (!stopped) {
      try {
        await listen();
      } catch (error) {
        if (error.status === 401 || error.status === 403) {
          tell("off");
          return;
        }
      }
      if (stopped) return;
      tell("waiting");
      await new Promise((resolve) => {
        timer = setTimeout(resolve, delay(attempt));
      });
      attempt += 1;
    }
  }

  run();
  return () => {
    stopped = true;
    clearTimeout(timer);
    current?.abort();
  };
}
