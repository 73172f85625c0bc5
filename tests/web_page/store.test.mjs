import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { load } from "./page.mjs";

const { lasting, passing } = await load("store");

/** Storage as a browser has it; `broken` says which of its methods throw. */
function storage(broken = []) {
  const values = new Map();
  const unless = (name, does) => (...given) => {
    if (broken.includes(name)) throw new DOMException("no", "QuotaExceededError");
    return does(...given);
  };
  return {
    values,
    getItem: unless("getItem", (name) => values.get(name) ?? null),
    setItem: unless("setItem", (name, value) => values.set(name, value)),
    removeItem: unless("removeItem", (name) => values.delete(name)),
  };
}

const put = (name, get) => Object.defineProperty(globalThis, name, { get, configurable: true });

afterEach(() => {
  for (const name of ["localStorage", "sessionStorage"]) delete globalThis[name];
});

test("what the browser keeps is read by whoever asks for its name", () => {
  const [local, session] = [storage(), storage()];
  put("localStorage", () => local);
  put("sessionStorage", () => session);
  lasting("a").write({ n: 1 });
  passing("a").write({ n: 2 });
  assert.deepEqual([lasting("a").read(), passing("a").read(), lasting("b").read()], [{ n: 1 }, { n: 2 }, null]);
  assert.equal(local.values.get("board:a"), '{"n":1}');
  lasting("a").write(null);
  assert.deepEqual([lasting("a").read(), local.values.size], [null, 0]);
  local.values.set("board:a", "no JSON");
  assert.equal(lasting("a").read(), null);
});

test("with a full disk a value holds as long as the page is open, and is the newest one", () => {
  const broken = [];
  const local = storage(broken);
  put("localStorage", () => local);
  lasting("full").write(["old"]);
  broken.push("setItem");
  lasting("full").write(["old", "new"]);
  assert.deepEqual(lasting("full").read(), ["old", "new"]);
  lasting("full").read().push("nobody's");
  assert.deepEqual(lasting("full").read(), ["old", "new"]);
  broken.pop();
  lasting("full").write(["newest"]);
  assert.deepEqual(lasting("full").read(), ["newest"]);
  local.values.set("board:full", '["another window’s"]');
  assert.deepEqual(lasting("full").read(), ["another window’s"], "what is kept by the browser again is read there");
});

test("what is left out of a full disk may be taken away again", () => {
  const local = storage(["setItem"]);
  put("localStorage", () => local);
  lasting("gone").write(1);
  lasting("gone").write(null);
  assert.equal(lasting("gone").read(), null);
});

test("where storage is forbidden each area holds what it was given all the same", () => {
  const forbidden = () => {
    throw new DOMException("no", "SecurityError");
  };
  put("localStorage", forbidden);
  put("sessionStorage", forbidden);
  assert.equal(lasting("forbidden").read(), null);
  lasting("forbidden").write("for all");
  passing("forbidden").write("for one");
  assert.deepEqual([lasting("forbidden").read(), passing("forbidden").read()], ["for all", "for one"]);
  lasting("forbidden").write(null);
  assert.deepEqual([lasting("forbidden").read(), passing("forbidden").read()], [null, "for one"]);
});
