import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { load } from "./page.mjs";

const { lasting, passing } = await load("store");

/** Return a fake storage whose methods in `broken` throw. */
function makeStorage(broken = []) {
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

const defineGlobal = (name, get) => Object.defineProperty(globalThis, name, { get, configurable: true });

afterEach(() => {
  for (const name of ["localStorage", "sessionStorage"]) delete globalThis[name];
});

test("stored values are read by name", () => {
  const [local, session] = [makeStorage(), makeStorage()];
  defineGlobal("localStorage", () => local);
  defineGlobal("sessionStorage", () => session);
  lasting("a").write({ n: 1 });
  passing("a").write({ n: 2 });
  assert.deepEqual([lasting("a").read(), passing("a").read(), lasting("b").read()], [{ n: 1 }, { n: 2 }, null]);
  assert.equal(local.values.get("board:a"), '{"n":1}');
  lasting("a").write(null);
  assert.deepEqual([lasting("a").read(), local.values.size], [null, 0]);
  local.values.set("board:a", "no JSON");
  assert.equal(lasting("a").read(), null);
});

test("with a full disk a value lasts while the page is open", () => {
  const broken = [];
  const local = makeStorage(broken);
  defineGlobal("localStorage", () => local);
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

test("a value that did not fit can be deleted", () => {
  const local = makeStorage(["setItem"]);
  defineGlobal("localStorage", () => local);
  lasting("gone").write(1);
  lasting("gone").write(null);
  assert.equal(lasting("gone").read(), null);
});

test("without storage each area keeps its values in memory", () => {
  const forbidden = () => {
    throw new DOMException("no", "SecurityError");
  };
  defineGlobal("localStorage", forbidden);
  defineGlobal("sessionStorage", forbidden);
  assert.equal(lasting("forbidden").read(), null);
  lasting("forbidden").write("for all");
  passing("forbidden").write("for one");
  assert.deepEqual([lasting("forbidden").read(), passing("forbidden").read()], ["for all", "for one"]);
  lasting("forbidden").write(null);
  assert.deepEqual([lasting("forbidden").read(), passing("forbidden").read()], [null, "for one"]);
});
