/**
 * Things and their relations, as a picture and as a list for the keyboard.
 */

import { get } from "../api.js";
import { counted, el, fill, number, said, short, svg } from "../dom.js";
import { laidOut } from "../force.js";
import { entryItem, problem } from "../parts.js";

const NARROW = 800;
const MOST = 80;
/** Things that fit on a small screen. */
const FEW = 32;
/** Width of a letter and height of a name in the picture. */
const [LETTER, LINE] = [6.6, 13];

export async function show({ parameters }, { go, replace }) {
  const start = parameters.get("start") ?? "";
  const state = { depth: Number(parameters.get("depth")) || 2 };
  const picture = el("div", {});
  const beside = el("div", { class: "things", tabindex: "0", role: "region", "aria-label": "Things" });
  const trouble = el("div", {});
  const control = new AbortController();
  const input = el("input", { type: "search", value: start, maxlength: "200", placeholder: "auth, redis, config.py …" });
  const depth = el("select", {}, [1, 2, 3].map((far) => el("option", { value: String(far) }, counted(far, "step"))));
  depth.value = String(state.depth);

  async function run() {
    try {
      if (start) await around();
      else await whole();
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, problem(error));
    }
  }

  async function around() {
    const { data } = await get("/api/v1/graph", { start, depth: state.depth }, control.signal);
    const made = new Picture();
    made.node(start, 1).here = true;
    for (const one of data.steps) made.link(one.subject, one.object, one.predicate);
    for (const alias of data.aliases) made.link(start, alias, "same-as");
    fill(picture, made.drawn(`Relations around ${start}`, go));
    fill(
      beside,
      el("h2", {}, "Relations"),
      data.steps.length ? el("ul", { class: "plainly" }, data.steps.map((one) => el("li", {}, thing(one.subject), " ", el("span", { class: "muted" }, said(one.predicate)), " ", thing(one.object)))) : el("p", { class: "muted" }, "No relations."),
      el("h2", {}, "Entries that mention it"),
      data.entries.length ? el("ul", { class: "plainly" }, data.entries.map((one) => entryItem(one))) : el("p", { class: "muted" }, "None."),
    );
  }

  async function whole() {
    const { data } = await get("/api/v1/things", { limit: MOST }, control.signal);
    const made = new Picture(innerWidth < NARROW ? FEW : MOST);
    for (const one of data.things.slice(0, made.most)) made.node(one.name, one.entries);
    for (const one of data.relations) made.link(one.subject, one.object, one.predicate);
    for (const one of data.together) made.link(one.one, one.other, "");
    fill(picture, made.drawn(`${counted(data.things.length, "thing")}, ${counted(data.relations.length, "relation")}`, go));
    fill(
      beside,
      el("h2", {}, "Things"),
      data.things.length ? el("ul", { class: "plainly" }, data.things.map((one) => el("li", {}, thing(one.name), " ", el("span", { class: "muted small" }, counted(one.entries, "entry", "entries"))))) : el("p", { class: "muted" }, "No things yet. To relate two, write [[auth]] depends-on [[redis]] under ## Relations in MEMORY.md."),
    );
  }

  const find = (event) => {
    event.preventDefault();
    go(input.value.trim() ? `#/graph?${new URLSearchParams({ start: input.value.trim(), depth: depth.value })}` : "#/graph");
  };
  depth.addEventListener("change", () => {
    state.depth = Number(depth.value);
    if (start) replace(`#/graph?${new URLSearchParams({ start, depth: depth.value })}`);
    run();
  });
  const move = (by) => {
    const links = [...beside.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    links[Math.min(links.length - 1, Math.max(0, at + by))]?.focus();
  };
  await run();
  return {
    title: start ? `Graph of ${short(start, 60)}` : "Graph",
    node: el(
      "div",
      {},
      el("h1", {}, start ? ["Around ", said(start)] : "Things and relations"),
      el("form", { class: "searching", submit: find }, el("label", {}, el("span", { class: "hidden" }, "Name of a thing"), input), el("label", {}, el("span", { class: "hidden" }, "Distance"), depth), el("button", { type: "submit" }, "Show"), start ? el("a", { class: "button", href: "#/graph" }, "All things") : null),
      trouble,
      el("div", { class: "graph" }, picture, beside),
    ),
    back: start ? "#/graph" : undefined,
    changed: run,
    leave: () => control.abort(),
    keys: {
      "/": () => {
        input.focus();
        input.select();
      },
      j: () => move(1),
      k: () => move(-1),
    },
  };
}

function thing(name) {
  return el("a", { href: `#/graph?${new URLSearchParams({ start: name })}` }, said(short(name, 80)));
}

function sizeOf(one, most) {
  return 5 + 9 * Math.sqrt(one.entries / most);
}

/**
 * Place the names of things so that they overlap neither each other nor another thing, the most
 * mentioned things first. The list beside the picture and the circles have all names.
 */
function name(nodes, most, width, height) {
  const taken = nodes.map((one) => {
    const size = sizeOf(one, most);
    return { left: one.x - size, right: one.x + size, top: one.y - size, bottom: one.y + size };
  });
  for (const one of [...nodes].sort((a, b) => Boolean(b.here) - Boolean(a.here) || b.entries - a.entries)) {
    const told = short(one.name.replace(/[\p{Cf}\p{Cc}]/gu, ""), 22);
    const places = placesOf(one, sizeOf(one, most), (told.length * LETTER) / 2 + 2, width, height);
    const free = places.find((place) => !taken.some((other) => meet(place, other)));
    const label = free ?? (one.here ? places[0] : null);
    if (!label) continue;
    one.label = { told, x: (label.left + label.right) / 2, y: label.bottom - 3 };
    taken.push(label);
  }
}

/** Candidate positions of a name: above, below, right, left; within the picture. */
function placesOf(one, size, half, width, height) {
  const at = (x, y) => {
    const middle = Math.min(width - half, Math.max(half, x));
    const bottom = Math.min(height, Math.max(LINE, y));
    return { left: middle - half, right: middle + half, top: bottom - LINE, bottom };
  };
  const beside = size + half + 2;
  return [at(one.x, one.y - size - 1), at(one.x, one.y + size + LINE + 1), at(one.x + beside, one.y + LINE / 2), at(one.x - beside, one.y + LINE / 2)];
}

function meet(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/** Collects things and lines, and draws them. */
class Picture {
  constructor(most = MOST) {
    this.most = most;
    this.nodes = [];
    this.links = [];
    this.at = new Map();
  }

  node(name, entries = 1) {
    const key = name.toLowerCase();
    if (!this.at.has(key)) {
      this.at.set(key, this.nodes.length);
      this.nodes.push({ name, entries });
    }
    return this.nodes[this.at.get(key)];
  }

  link(one, other, told) {
    if (this.nodes.length >= this.most && !(this.at.has(one.toLowerCase()) && this.at.has(other.toLowerCase()))) return;
    this.node(one);
    this.node(other);
    const [from, to] = [this.at.get(one.toLowerCase()), this.at.get(other.toLowerCase())];
    if (from !== to) this.links.push({ from, to, told });
  }

  drawn(title, go) {
    if (!this.nodes.length) return el("p", { class: "muted" }, "Nothing to draw.");
    const [width, height] = innerWidth < NARROW ? [380, 440] : [760, 560];
    laidOut(this.nodes, this.links, width, height);
    const most = Math.max(...this.nodes.map((one) => one.entries));
    name(this.nodes, most, width, height);
    const named = this.links.length <= 24;
    const lines = this.links.map(({ from, to, told }) => {
      const [one, other] = [this.nodes[from], this.nodes[to]];
      return [
        svg("line", { x1: one.x.toFixed(1), y1: one.y.toFixed(1), x2: other.x.toFixed(1), y2: other.y.toFixed(1), class: told ? "" : "together" }),
        named && told ? svg("text", { class: "of", x: ((one.x + other.x) / 2).toFixed(1), y: ((one.y + other.y) / 2 - 3).toFixed(1), "text-anchor": "middle" }, short(told, 24)) : null,
      ];
    });
    const circles = this.nodes.map((one) =>
      svg("circle", { cx: one.x.toFixed(1), cy: one.y.toFixed(1), r: sizeOf(one, most).toFixed(1), class: one.here ? "here" : "", click: () => go(`#/graph?${new URLSearchParams({ start: one.name })}`) }, svg("title", {}, `${short(one.name, 80)}: ${number(one.entries)}`)),
    );
    const names = this.nodes.map(({ label }) => (label ? svg("text", { x: label.x.toFixed(1), y: label.y.toFixed(1), "text-anchor": "middle" }, label.told) : null));
    return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}. The list beside it has the same content.` }, lines, circles, names);
  }
}
