/**
 * A list of any length that renders only its visible rows. The window scrolls it.
 */

import { el } from "./dom.js";

const PAGE = 50;
const KEPT = 40;
const BEYOND = 6;
/** Rows loaded beyond the visible ones. */
const AHEAD = 25;
/** Milliseconds to wait before loading, so that fast scrolling skips pages. */
const SETTLE = 60;

/**
 * @param label The accessible name of the list.
 * @param load Returns `{ items, total }` for `(offset, limit, signal)`.
 * @param row Creates the node of `(item, index)`: one link.
 * @param failed Called with an error.
 * @param grown Called with the new length if the list is longer than expected.
 */
export class LongList {
  constructor({ label, load, row, failed, grown }) {
    this.node = el("ul", { class: "long", "aria-label": label });
    this.load = load;
    this.row = row;
    this.failed = failed;
    this.grown = grown;
    this.total = 0;
    this.active = -1;
    this.awaited = -1;
    this.pages = new Map();
    this.asked = new Map();
    this.shown = new Map();
    this.frame = 0;
    this.timer = 0;
    this.height = 0;
    this.on = () => this.later();
    this.resized = () => {
      this.height = 0;
      this.later();
    };
    addEventListener("scroll", this.on, { passive: true });
    addEventListener("resize", this.resized, { passive: true });
  }

  /** Start again with `items` as the first of `total`. */
  begin(items, total) {
    this.forget();
    this.total = total;
    this.pages.set(0, items.slice(0, PAGE));
    const focused = this.node.contains(document.activeElement);
    this.drop();
    if (this.active >= total) this.active = -1;
    this.draw();
    if (focused && this.active >= 0) this.focus();
  }

  forget() {
    for (const one of this.asked.values()) one.abort();
    this.asked.clear();
    this.pages.clear();
  }

  drop() {
    for (const node of this.shown.values()) node.remove();
    this.shown.clear();
  }

  /** Remove all listeners and timers. */
  end() {
    removeEventListener("scroll", this.on);
    removeEventListener("resize", this.resized);
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.forget();
  }

  later() {
    if (!this.frame) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.draw();
      });
    }
  }

  item(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  measured() {
    if (!this.height) {
      const probe = el("li", { "aria-hidden": "true" });
      this.node.append(probe);
      this.height = probe.offsetHeight || 105;
      probe.remove();
      this.drop();
    }
    return this.height;
  }

  range() {
    const top = -this.node.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(top / this.height) - BEYOND);
    const last = Math.min(this.total, Math.ceil((top + innerHeight) / this.height) + BEYOND);
    return [first, Math.max(first, last)];
  }

  draw() {
    if (!this.node.isConnected) return;
    const height = this.measured();
    this.node.style.height = `${this.total * height}px`;
    const [first, last] = this.range();
    const wanted = new Set();
    for (let at = first; at < last; at += 1) wanted.add(at);
    if (this.active >= 0 && this.active < this.total) wanted.add(this.active); // keep the focused row
    for (const [at, node] of this.shown) {
      if (!wanted.has(at) || (node.dataset.empty && this.item(at))) {
        node.remove();
        this.shown.delete(at);
      }
    }
    for (const at of [...wanted].sort((one, other) => one - other)) {
      if (!this.shown.has(at)) this.place(at);
    }
    this.want(Math.max(0, first - AHEAD), Math.min(this.total, last + AHEAD));
  }

  place(at) {
    const item = this.item(at);
    const node = el(
      "li",
      { "aria-setsize": this.total, "aria-posinset": at + 1, "data-at": at, "data-empty": item ? false : "yes" },
      item ? this.row(item, at) : el("span", { class: "empty-row" }, "…"),
    );
    node.style.transform = `translateY(${at * this.height}px)`;
    this.shown.set(at, node);
    const next = [...this.node.children].find((one) => Number(one.dataset.at) > at);
    this.node.insertBefore(node, next ?? null);
  }

  want(first, last) {
    const pages = [];
    for (let page = Math.floor(first / PAGE); page * PAGE < last; page += 1) {
      if (!this.pages.has(page)) pages.push(page);
    }
    for (const [page, one] of this.asked) {
      if (!pages.includes(page)) {
        one.abort();
        this.asked.delete(page);
      }
    }
    clearTimeout(this.timer);
    const missing = pages.filter((page) => !this.asked.has(page));
    if (missing.length) this.timer = setTimeout(() => missing.forEach((page) => this.ask(page)), SETTLE);
  }

  async ask(page) {
    if (this.asked.has(page) || this.pages.has(page)) return;
    const control = new AbortController();
    this.asked.set(page, control);
    try {
      const { items, total } = await this.load(page * PAGE, PAGE, control.signal);
      if (this.asked.get(page) !== control) return;
      this.asked.delete(page);
      this.pages.set(page, items);
      this.grow(total);
      this.spare(page);
      this.draw();
      if (this.awaited === this.active) this.focus();
    } catch (error) {
      if (this.asked.get(page) === control) this.asked.delete(page);
      if (error.name !== "AbortError") this.failed(error);
    }
  }

  /** Drop the page that is farthest away. */
  spare(page) {
    if (this.pages.size <= KEPT) return;
    const far = [...this.pages.keys()].sort((one, other) => Math.abs(other - page) - Math.abs(one - page));
    this.pages.delete(far[0]);
  }

  /** Extend the list: matches are counted only as far as the user scrolls. */
  grow(total) {
    if (total <= this.total) return;
    this.total = total;
    for (const node of this.shown.values()) node.setAttribute("aria-setsize", total);
    this.grown?.(total);
  }

  /** Focus the first row. */
  first() {
    this.move(-this.total);
  }

  /** Focus the last row. */
  last() {
    this.move(this.total);
  }

  /** Move the focus by `step` rows. */
  move(step) {
    if (!this.total) return;
    const [first] = this.range();
    const from = this.active < 0 ? (step > 0 ? first + (first ? BEYOND : 0) - 1 : 1) : this.active;
    this.active = Math.min(this.total - 1, Math.max(0, from + step));
    this.draw();
    this.shown.get(this.active).scrollIntoView({ block: "nearest" });
    this.focus();
  }

  /** Focus the row that was focused before. */
  resume(index) {
    if (index >= this.total) return;
    this.active = index;
    this.draw();
    this.focus();
  }

  /** Focus the active row, once it is loaded. */
  focus() {
    const link = this.shown.get(this.active)?.querySelector("a");
    this.awaited = link ? -1 : this.active;
    link?.focus({ preventScroll: true });
  }

  /** Note which row has the focus. */
  focused(index) {
    this.active = index;
  }
}
