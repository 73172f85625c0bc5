/** Exact values as they stand on a tile: a fraction is set as one, with a line between its parts. */
import { element } from "./dom.js";
import { figure } from "./expression.js";

/** What is seen of a value. A screen reader is told its name instead. */
export function numeral(value) {
  const sign = value.top < 0n ? "−" : "";
  if (value.isWhole) return element("span", { class: "numeral" }, figure(value));
  const fraction = element(
    "span",
    { class: "fraction" },
    element("span", {}, String(value.top).replace("-", "")),
    element("span", {}, String(value.bottom)),
  );
  return element("span", { class: "numeral" }, sign, fraction);
}

/** How wide a value is, to choose its size: the figures of its longest part. */
export function breadth(value) {
  return Math.max(figure(value).split("/")[0].length, String(value.bottom).length);
}
