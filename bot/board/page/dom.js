/** Elements, made and changed. Text is always text here: nothing that somebody wrote is read as HTML. */

/**
 * @param {string} name of the tag
 * @param {object} attributes as `changed` takes them
 * @param {...(Node|string|null)} children nothing for null
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  changed(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** Sets attributes: null or false removes one, true sets it empty, a function listens to the event of that name. */
export function changed(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value === null || value === false) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : value);
  }
  return node;
}

/** An attribute of ARIA that says yes or no. */
export const truth = (value) => (value ? "true" : "false");

/** Sets the text, if it is another one. */
export function worded(node, text) {
  if (node.textContent !== text) node.textContent = text;
  return node;
}

/** Sets the text, with a line between the parts of each fraction; its stroke is kept for who hears or copies it. */
export function figured(node, text) {
  if (node.dataset.text === text) return node;
  node.dataset.text = text;
  node.replaceChildren(...text.split(/(\d+\/\d+)/).map((part, at) => (at % 2 ? fraction(...part.split("/")) : part)));
  return node;
}

function fraction(top, bottom) {
  return element("span", { class: "fraction" }, element("span", {}, top), spoken("/"), element("span", {}, bottom));
}

/** Text that only a screen reader tells. */
export function spoken(text) {
  return element("span", { class: "spoken" }, text);
}

/** A button with a text. */
export function button(text, press, attributes = {}) {
  return element("button", { type: "button", click: press, ...attributes }, text);
}

/**
 * Makes what a node holds anew, but only when `told` (anything JSON) is another than last time. The focus stays where
 * it was by `data-key`; where that has gone it goes to none of these, whatever they do.
 */
export class Part {
  #told = null;

  constructor(node) {
    this.node = node;
  }

  draw(told, children) {
    const text = JSON.stringify(told);
    if (text === this.#told) return;
    this.#told = text;
    const focused = this.node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.node.replaceChildren(...children().filter((child) => child !== null));
    [...this.node.querySelectorAll("[data-key]")].find((each) => each.dataset.key === focused)?.focus();
  }
}
