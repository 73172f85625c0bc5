/** Helpers for the tests of the page's modules. */
const PAGE = new URL("../../bot/board/page/", import.meta.url);

globalThis.navigator ??= {}; // none in older versions of node

/** Import a module of the page; another `version` gives a new copy, as after a reload. */
export const load = (name, version = "") => import(new URL(`${name}.js${version}`, PAGE));

/** Return a store in memory. */
export function memory(value = null) {
  return { value, read: () => memory.copy(value), write: (next) => (value = memory.copy(next)) };
}
memory.copy = (value) => JSON.parse(JSON.stringify(value));

/** Return a puzzle of 24, changed by `more`. */
export function puzzle(numbers, more = {}) {
  return { numbers, labels: numbers, target: "24", uses_all: true, whole_numbers_only: false, accepts_near: false, ...more };
}
