/** Create and change elements. Text is always set as text: nothing that people write is read as HTML. */

/**
 * @param {string} name of the tag
 * @param {object} attributes see `setAttributes`
 * @param {...(Node|string|null)} children null is left out
 */
export function createElement(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  setAttributes(node, attributes);
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Set attributes: null or false removes one, true sets it empty, a function listens to the event of that name. */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === null || value === false) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

/** Return a boolean as the value of an ARIA attribute. */
export function toAriaBoolean(value) {
  return value ? "true" : "false";
}

/** Set the text if it differs. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
  return node;
}

/** Set the text with its fractions drawn; screen readers and the clipboard get the slash. */
export function setMathText(node, text) {
  if (node.dataset.text === text) return node;
  node.dataset.text = text;
  const parts = text.split(/(\d+\/\d+)/); // every second one is a fraction
  node.replaceChildren(...parts.map((part, index) => (index % 2 ? createFraction(...part.split("/")) : part)));
  return node;
}

function createFraction(numerator, denominator) {
  const [above, below] = [numerator, denominator].map((text) => createElement("span", {}, text));
  return createElement("span", { class: "fraction" }, above, createScreenReaderText("/"), below);
}

/** Create a text that is not seen, only read by screen readers. */
export function createScreenReaderText(text) {
  return createElement("span", { class: "visually-hidden" }, text);
}

export function createButton(text, onClick, attributes = {}) {
  return createElement("button", { type: "button", click: onClick, ...attributes }, text);
}

/** A node whose children are created again only when their inputs change. */
export class Region {
  #inputs = null;

  constructor(node) {
    this.node = node;
  }

  /**
   * Replace the children if `inputs`, anything that JSON can hold, differ from last time. The focus stays on the child
   * with the same `data-key`; if there is none, no child gets it.
   */
  draw(inputs, createChildren) {
    const text = JSON.stringify(inputs);
    if (text === this.#inputs) return;
    this.#inputs = text;
    const focusedKey = this.node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.node.replaceChildren(...createChildren().filter((child) => child !== null));
    [...this.node.querySelectorAll("[data-key]")].find((each) => each.dataset.key === focusedKey)?.focus();
  }
}
