/** Where the page's modules are, and what the tests of several of them need. */
const PAGE = new URL("../../bot/board/page/", import.meta.url);

globalThis.navigator ??= {}; // none in older versions of node

/** A module of the page; `anew` as after a reload. */
export const load = (name, anew = "") => import(new URL(`${name}.js${anew}`, PAGE));

/** A place where values are kept, in memory. */
export function memory(value = null) {
  return { value, read: () => memory.copy(value), write: (next) => (value = memory.copy(next)) };
}
memory.copy = (value) => JSON.parse(JSON.stringify(value));

/** A puzzle of 24, or another one by `more`. */
export function puzzle(numbers, more = {}) {
  return { numbers, shown: numbers, target: "24", every: true, whole: false, near: false, ...more };
}
