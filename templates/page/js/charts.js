/**
 * SVG charts, each with a table of its numbers.
 */

import { el, number, said, svg } from "./dom.js";

const NARROW = 380;
const [ROW, LABEL, BAR] = [27, 128, 30];

function label(x, y, told, kind = "") {
  return svg("text", { x: x.toFixed(1), y: y.toFixed(1), class: kind }, told);
}

function box(x, y, width, height, tone) {
  return svg("rect", { x: x.toFixed(1), y: y.toFixed(1), width: Math.max(width, 0).toFixed(1), height: Math.max(height, 0).toFixed(1), class: tone });
}

function picture(title, width, height, ...inner) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title }, inner);
}

/** A figure: caption, picture, and a table of its numbers. */
export function figure(title, told, drawn, columns, rows) {
  const cells = (row, tag) => row.map((value, at) => el(tag, { class: at ? "n" : "", scope: tag === "th" ? "col" : false }, typeof value === "number" ? number(value) : said(String(value))));
  const table = el("table", {}, el("thead", {}, el("tr", {}, cells(columns, "th"))), el("tbody", {}, rows.map((row) => el("tr", {}, cells(row, "td")))));
  return el("figure", {}, el("figcaption", {}, title, el("span", {}, told)), drawn, el("details", {}, el("summary", {}, "Numbers"), el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Numbers: ${title}` }, table)));
}

/** A bar for each count. */
export function bars(title, counts) {
  const most = Math.max(1, ...counts.map(([, value]) => value));
  const room = NARROW - LABEL - 52;
  const inner = counts.map(([name, value], at) => {
    const length = Math.max((room * value) / most, value ? 2 : 0);
    return [label(LABEL - 10, at * ROW + 18, name, "end"), box(LABEL, at * ROW + 4, length, ROW - 9, "tone-main"), label(LABEL + length + 7, at * ROW + 18, number(value))];
  });
  return picture(title, NARROW, Math.max(counts.length, 1) * ROW, inner);
}

/** A bar divided into parts: `[name, value, tone]`. */
export function shares(title, parts) {
  const total = parts.reduce((sum, [, value]) => sum + value, 0);
  let x = 0;
  const inner = parts.map(([name, value, tone], at) => {
    const width = total ? (NARROW * value) / total : 0;
    const y = BAR + 16 + at * ROW;
    const drawn = [box(x, 0, width - 1.5, BAR, tone), box(0, y + 2, 15, 15, tone), label(25, y + 15, name), label(NARROW - 72, y + 15, number(value), "end"), label(NARROW - 2, y + 15, total ? `${Math.round((100 * value) / total)}%` : "–", "end muted")];
    x += width;
    return drawn;
  });
  return picture(title, NARROW, BAR + 16 + parts.length * ROW, total ? null : box(0, 0, NARROW, BAR, "tone-none"), inner);
}
