/**
 * The page: sign-in, routing, themes, projects and live updates.
 */

import { Problem, chosen, get, signIn } from "./api.js";
import { el, fill } from "./dom.js";
import { showKeys, start as startKeys } from "./keys.js";
import { follow } from "./live.js";
import { problem } from "./parts.js";
import { count } from "./waiting.js";
import * as add from "./views/add.js";
import * as archive from "./views/archive.js";
import * as edit from "./views/edit.js";
import * as entry from "./views/entry.js";
import * as graph from "./views/graph.js";
import * as health from "./views/health.js";
import * as pending from "./views/pending.js";
import * as reminders from "./views/reminders.js";
import * as search from "./views/search.js";
import * as timeline from "./views/timeline.js";

const VIEWS = { search, timeline, graph, health, reminders, archive, pending, add, entry, edit };
const THEMES = ["system", "light", "dark"];
const main = document.getElementById("main");
/** The current view: the object that its `show` returned. */
let current = null;
let turn = 0;
/** Aborts the pending requests of the previous view. */
let leaving = new AbortController();
/** Milliseconds after which "Loading …" is shown. */
const SLOW = 400;
/** The addresses of the current and the previous view. */
const trail = { here: "", before: "" };
/** Milliseconds without scrolling after which the position in a list is saved. */
const SETTLED = 150;
let settling = 0;

/** Parse the address into the view, the id and the parameters. */
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name = "", id = "", more = ""] = path.split("/");
  const parameters = new URLSearchParams(query);
  if (name === "entry" && more === "edit") return { name: "edit", id: decoded(id), parameters };
  return { name: Object.hasOwn(VIEWS, name) && name !== "edit" ? name : "search", id: decoded(id), parameters };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

async function route() {
  const here = place();
  const stale = ++turn;
  const left = history.state; // the saved position, when going back to a view
  clearTimeout(settling);
  if (location.hash !== trail.here) Object.assign(trail, { before: trail.here, here: location.hash });
  current?.leave?.();
  current = null;
  for (const link of document.querySelectorAll("#views a, #add")) {
    const is = link.getAttribute("href") === `#/${here.name}`;
    if (is) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  leaving.abort();
  leaving = new AbortController();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close(); // it belongs to the previous view
  main.setAttribute("aria-busy", "true");
  const slow = setTimeout(() => fill(main, el("p", { class: "muted", role: "status" }, "Loading …")), SLOW);
  try {
    const shown = await VIEWS[here.name].show(here, { go, replace, back, signal: leaving.signal });
    clearTimeout(slow);
    if (stale !== turn) {
      shown.leave?.();
      return;
    }
    current = shown;
    document.title = `${shown.title} – Mind`;
    fill(main, shown.node);
    scrollTo(0, 0);
    shown.shown?.();
    if (left?.y) scrollTo(0, left.y);
    if (left?.at >= 0) shown.resume?.(left.at);
    if (!shown.node.contains(document.activeElement)) main.focus({ preventScroll: true });
  } catch (error) {
    clearTimeout(slow);
    if (stale === turn) fail(error);
  } finally {
    if (stale === turn) main.removeAttribute("aria-busy");
  }
}

function fail(error) {
  if (!(error instanceof Problem)) throw error;
  const hint = error.status === 401 ? "Run `mind ui` again and use the address that it prints." : "";
  document.title = "Problem – Mind";
  fill(main, el("h1", { tabindex: "-1" }, error.status === 404 ? "Not found" : "Something went wrong"), problem(error), hint ? el("p", {}, hint) : null);
  main.focus({ preventScroll: true });
}

function go(hash) {
  if (location.hash === hash) route();
  else location.hash = hash;
}

/** Update the address without adding a history entry. */
function replace(hash) {
  history.replaceState(null, "", hash);
  trail.here = location.hash;
}

/** Leave a view: go back if `hash` was the previous view, else replace it with `hash`. */
function back(hash) {
  if (trail.before === hash) {
    history.back();
    return;
  }
  history.replaceState(null, "", hash);
  route();
}

/** Save the scroll position and the focused row, to restore them on return. */
function settle() {
  clearTimeout(settling);
  settling = setTimeout(() => {
    if (current) history.replaceState({ y: scrollY, at: current.at?.() ?? -1 }, "");
  }, SETTLED);
}

function themes() {
  const button = document.getElementById("theme");
  const now = () => document.documentElement.dataset.theme ?? "system";
  const name = () => fill(button, el("span", { class: "wider" }, "Theme: "), now());
  name();
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(now()) + 1) % THEMES.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("mind.theme", next);
    } catch {
      // storage is disabled: the theme lasts until the page is reloaded
    }
    name();
  });
}

async function projects() {
  const { data } = await get("/api/v1/projects");
  const select = document.getElementById("project");
  fill(document.getElementById("project-name"), data.projects.length === 1 ? data.projects[0].name : "");
  if (data.projects.length < 2) return;
  fill(select, data.projects.map((one) => el("option", { value: one.id }, one.name)));
  document.getElementById("projects").hidden = false;
  chosen.project = data.projects[0].id;
  select.addEventListener("change", () => {
    chosen.project = select.value;
    watch();
    go("#/search");
  });
}

const STATES = { on: "live", waiting: "reconnecting …", off: "not connected" };
let unfollow = () => {};
let soon = 0;

function watch() {
  unfollow();
  count();
  const live = document.getElementById("live");
  unfollow = follow({
    tell(state) {
      live.dataset.state = state;
      fill(document.getElementById("live-text"), STATES[state]);
    },
    changed(files) {
      clearTimeout(soon);
      soon = setTimeout(() => current?.changed?.(files), 150);
      if (files.includes("pending.json")) count();
    },
  });
}

async function begin() {
  themes();
  startKeys({ go, view: () => current });
  document.getElementById("help").addEventListener("click", showKeys);
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the hash selects the view
    main.focus();
  });
  try {
    if (!(await signIn())) {
      throw new Problem(401, { detail: "This address has no token.", remedy: "" });
    }
    await projects();
  } catch (error) {
    fail(error);
    return;
  }
  history.scrollRestoration = "manual"; // a list gets its height only after loading
  addEventListener("hashchange", route);
  addEventListener("scroll", settle, { passive: true });
  main.addEventListener("focusin", settle);
  watch();
  await route();
}

begin();
