/**
 * All entries by date, one year at a time.
 */

import { get } from "../api.js";
import { el, fill, number } from "../dom.js";
import { LongList } from "../long.js";
import { hitRow, problem } from "../parts.js";
import { FURTHEST, asked } from "./search.js";

export async function show({ parameters }, { replace }) {
  const state = { q: "", kind: "", tag: "", status: "", lang: "", year: parameters.get("year") ?? "", order: parameters.get("order") === "oldest" ? "oldest" : "newest" };
  const years = el("div", { class: "years", role: "group", "aria-label": "Years" });
  const counted = el("p", { class: "muted", role: "status" });
  const trouble = el("div", {});
  const turn = el("button", { type: "button" });
  const list = new LongList({
    label: "Entries by date",
    load: async (offset, limit, signal) => {
      const { data } = await get("/api/v1/search", { ...asked(state), offset, limit }, signal);
      return { items: data.hits, total: data.total };
    },
    row: (entry, index) => hitRow(entry, index, (at) => list.focused(at)),
    failed: (error) => fill(trouble, problem(error)),
  });
  let control = new AbortController();

  async function run() {
    control.abort();
    control = new AbortController();
    try {
      const [all, here] = await Promise.all([
        get("/api/v1/search", { ...asked({ ...state, year: "" }), facets: "true", limit: 1 }, control.signal),
        get("/api/v1/search", { ...asked(state), limit: 50 }, control.signal),
      ]);
      fill(trouble);
      draw(all.data.facets.years, here.data);
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, problem(error));
    }
  }

  function draw(counts, data) {
    const there = Object.entries(counts).filter(([year]) => year).sort(([one], [other]) => (one < other ? 1 : -1));
    const total = Object.values(counts).reduce((sum, one) => sum + one, 0);
    const focused = document.activeElement?.dataset?.year;
    fill(years, [["", total], ...there].map(([year, count]) => el("button", { type: "button", "aria-pressed": String(state.year === year), "data-year": year || "all", click: () => choose(year) }, year || "All", " ", el("span", { class: "count" }, number(count)))));
    if (focused) years.querySelector(`[data-year="${CSS.escape(focused)}"]`)?.focus();
    fill(turn, state.order === "newest" ? "Oldest first" : "Newest first");
    const without = counts[""] ? `; ${number(counts[""])} have no date` : "";
    const more = data.total > FURTHEST ? `; the first ${number(FURTHEST)} are listed; choose a year to see more` : "";
    fill(counted, `${number(data.total)} entries, ${state.order} first${state.year ? "" : without}${more}`);
    list.begin(data.hits, Math.min(data.total, FURTHEST));
  }

  function again() {
    list.active = -1;
    replace(`#/timeline?${new URLSearchParams({ year: state.year, order: state.order })}`);
    return run();
  }

  function choose(year) {
    state.year = year;
    again();
  }

  turn.addEventListener("click", () => {
    state.order = state.order === "newest" ? "oldest" : "newest";
    again();
  });

  await run();
  return {
    title: "Timeline",
    node: el("div", {}, el("h1", {}, "Timeline"), years, el("div", { class: "row" }, turn, counted), trouble, list.node),
    shown: () => list.draw(),
    at: () => list.active,
    resume: (at) => list.resume(at),
    changed: run,
    leave() {
      control.abort();
      list.end();
    },
    keys: { j: () => list.move(1), k: () => list.move(-1), Home: () => list.first(), End: () => list.last() },
  };
}
