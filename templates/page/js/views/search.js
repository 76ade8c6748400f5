/**
 * Search as you type, with facets.
 */

import { get } from "../api.js";
import { el, fill, number, said } from "../dom.js";
import { LongList } from "../long.js";
import { hitRow, problem } from "../parts.js";

const WAIT = 120;
/** Rows that a browser can draw in one list; the others are found with filters. */
export const FURTHEST = 90_000;
const FACETS = [
  ["kind", "Kind", "kinds"],
  ["year", "Year", "years"],
  ["tag", "Tag", "tags"],
  ["status", "Status", "statuses"],
  ["lang", "Language", "languages"],
];
const ORDERS = [["", "best or newest first"], ["newest", "newest first"], ["oldest", "oldest first"]];
const SHOWN = 12;

/** The parameters of a search request. */
export function asked(state) {
  const words = state.q.trim();
  return {
    q: words || `order:${state.order || "newest"}`,
    kind: state.kind,
    since: state.year,
    until: state.year,
    tag: state.tag,
    status: state.status,
    lang: state.lang,
    order: state.order,
    noted: "false",
  };
}

export async function show({ parameters }, { replace }) {
  const state = { q: "", kind: "", year: "", tag: "", status: "", lang: "", order: "" };
  for (const name of Object.keys(state)) state[name] = parameters.get(name) ?? "";

  const input = el("input", { type: "search", id: "q", value: state.q, autocomplete: "off", spellcheck: "false", maxlength: "2000", placeholder: "Words, or kind:decision tag:db since:\"last week\"" });
  const order = el("select", { id: "order" }, ORDERS.map(([value, name]) => el("option", { value }, name)));
  order.value = state.order;
  const counted = el("p", { class: "muted", role: "status" });
  const trouble = el("div", {});
  const facets = el("div", { class: "facets" });
  const end = el("p", { class: "muted" });
  const list = new LongList({
    label: "Entries",
    load: async (offset, limit, signal) => {
      const { data } = await get("/api/v1/search", { ...asked(state), offset, limit }, signal);
      last = data;
      return { items: data.hits, total: Math.min(data.total, FURTHEST) };
    },
    row: (entry, index) => hitRow(entry, index, (at) => list.focused(at)),
    failed: (error) => fill(trouble, problem(error)),
    grown: () => fill(counted, told(last, last.total > last.offset + last.hits.length)),
  });

  let control = new AbortController();
  let timer = 0;
  let last = null;

  async function run() {
    control.abort();
    control = new AbortController();
    try {
      const { data } = await get("/api/v1/search", { ...asked(state), facets: "true", limit: 50 }, control.signal);
      fill(trouble);
      draw(data);
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, problem(error));
    }
  }

  function draw(data) {
    const reach = Math.min(data.total, FURTHEST);
    fill(counted, told(data, !data.facets.complete));
    fill(facets, drawn(data.facets, state, choose));
    fill(end, beyond(data, reach, state));
    list.begin(data.hits, reach);
  }

  function note() {
    const written = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
    replace(written.size ? `#/search?${written}` : "#/search");
  }

  function choose(name, value) {
    state[name] = state[name] === value ? "" : value;
    list.active = -1;
    note();
    run().then(() => {
      const same = [...facets.querySelectorAll("button")].find((one) => one.dataset.facet === name && one.dataset.value === value);
      same?.focus({ preventScroll: true });
    });
  }

  input.addEventListener("input", () => {
    state.q = input.value;
    list.active = -1;
    clearTimeout(timer);
    timer = setTimeout(() => {
      note();
      run();
    }, WAIT);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      event.preventDefault();
      list.move(1);
    }
  });
  order.addEventListener("change", () => {
    state.order = order.value;
    note();
    run();
  });

  await run();
  return {
    title: "Search",
    node: el(
      "div",
      {},
      el("h1", { class: "hidden" }, "Search"),
      el(
        "div",
        { class: "split" },
        el("div", { class: "searching" }, el("label", {}, el("span", { class: "hidden" }, "Search memory"), input), el("label", {}, el("span", { class: "hidden" }, "Order"), order)),
        facets,
        el("div", { class: "found" }, counted, trouble, list.node, end),
      ),
    ),
    shown() {
      list.draw();
      if (!parameters.size) input.focus({ preventScroll: true });
    },
    at: () => list.active,
    resume: (at) => list.resume(at),
    changed: run,
    leave() {
      clearTimeout(timer);
      control.abort();
      list.end();
    },
    keys: {
      "/": () => {
        scrollTo(0, 0);
        input.focus();
        input.select();
      },
      j: () => list.move(1),
      k: () => list.move(-1),
      Home: () => list.first(),
      End: () => list.last(),
    },
  };
}

/** The text under the list: the number of further hits, or a hint if there are none. */
function beyond(data, reach, state) {
  if (data.total > reach) return `${number(data.total - reach)} more. Narrow the list by year, kind or words, or reverse the order.`;
  if (data.total) return "";
  if (Object.values(state).some(Boolean)) return "Nothing matches. Remove a word or a filter.";
  return ["Nothing is recorded yet: ", el("code", {}, 'mind log -t decision "SQLite over Postgres - one file"')];
}

/** The number of hits; with `more`, a lower bound. */
function told(data, more) {
  const words = data.understood.text;
  const parts = [more ? `over ${number(data.total - 1)} entries` : `${number(data.total)} ${data.total === 1 ? "entry" : "entries"}`];
  if (words && data.hits.length && data.hits[0].relevance !== "listed") parts.push("best first");
  const filters = Object.entries(data.understood.filters).map(([name, value]) => `${name} ${value}`);
  if (filters.length) parts.push(filters.join(", "));
  if (data.problems.length) parts.push(data.problems.join(" "));
  return said(parts.join(" · "));
}

function drawn(facets, state, choose) {
  const note = facets.complete ? null : el("p", { class: "muted small" }, `Counted in the best ${number(facets.counted)} hits.`);
  const sets = FACETS.map(([name, title, key]) => facet(name, title, Object.entries(facets[key] ?? {}), state, choose));
  const details = el("details", {}, el("summary", {}, "Filters"), note, sets);
  details.open = matchMedia("(min-width: 801px)").matches || FACETS.some(([name]) => state[name]);
  return details;
}

function facet(name, title, counts, state, choose) {
  const there = counts.filter(([value]) => value);
  if (name === "year") there.sort(([one], [other]) => (one < other ? 1 : -1));
  if (state[name] && !there.some(([value]) => value === state[name])) there.unshift([state[name], 0]);
  if (!there.length) return null;
  return el(
    "fieldset",
    {},
    el("legend", {}, title),
    there.slice(0, SHOWN).map(([value, count]) =>
      el(
        "button",
        { type: "button", "aria-pressed": String(state[name] === value), "data-facet": name, "data-value": value, click: () => choose(name, value) },
        said(value),
        el("span", { class: "count" }, number(count)),
      ),
    ),
  );
}
