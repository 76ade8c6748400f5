/**
 * How many claims wait, beside the name of their view; what runs out is counted no more.
 */

import { get } from "./api.js";
import { el, fill, number } from "./dom.js";

const SOONEST = 1000;
let timer = 0;

/** Count them, now and when the next one runs out. */
export async function count() {
  clearTimeout(timer);
  const place = document.getElementById("waiting-count");
  try {
    const { claims } = (await get("/api/v1/pending")).data;
    fill(place, claims.length ? [" ", el("span", { class: "badge" }, number(claims.length), el("span", { class: "hidden" }, " to decide"))] : null);
    if (claims.length) {
      const next = Math.min(...claims.map((one) => Date.parse(one.until))) - Date.now();
      timer = setTimeout(count, Math.max(SOONEST, next));
    }
  } catch {
    fill(place); // the view itself says what is wrong
  }
}
