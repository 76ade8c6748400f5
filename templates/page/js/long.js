/**
 * A list of any length, of which only what is seen is in the page. The window scrolls it.
 */

import { el } from "./dom.js";

const PAGE = 50;
const KEPT = 40;
const BEYOND = 6;
/** Rows that are asked for before they are seen. */
const AHEAD = 25;
/** While somebody scrolls fast, pages that fly past are not asked for. */
const SETTLE = 60;

/**
 * @param label What the list is of.
 * @param load Gives `{ items, total }` for `(offset, limit, signal)`.
 * @param row Makes the node of `(item, index)`: one link.
 * @param failed Is told what went wrong.
 * @param grown Is told how long the list is if it is longer than was said.
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

  /** Take `items` as the first of `total`, and forget what was known. */
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

  /** No more of it. */
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
    if (this.active >= 0 && this.active < this.total) wanted.add(this.active); // it has the focus
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

  /** Keep the pages that are nearest. */
  spare(page) {
    if (this.pages.size <= KEPT) return;
    const far = [...this.pages.keys()].sort((one, other) => Math.abs(other - page) - Math.abs(one - page));
    this.pages.delete(far[0]);
  }

  /** The list turns out to be longer: what words match is counted as far as somebody looks. */
  grow(total) {
    if (total <= this.total) return;
    this.total = total;
    for (const node of this.shown.values()) node.setAttribute("aria-setsize", total);
    this.grown?.(total);
  }

  /** Focus the first row, or the last. */
  first() {
    this.move(-this.total);
  }

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

  /** Focus the row that had it when somebody left. */
  resume(index) {
    if (index >= this.total) return;
    this.active = index;
    this.draw();
    this.focus();
  }

  /** Focus the active row, once it is there. */
  focus() {
    const link = this.shown.get(this.active)?.querySelector("a");
    this.awaited = link ? -1 : this.active;
    link?.focus({ preventScroll: true });
  }

  /** Which row has the focus. */
  focused(index) {
    this.active = index;
  }
}
