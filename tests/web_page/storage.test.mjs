import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { load } from "./page.mjs";

const { openBrowserValue, openWindowValue } = await load("storage");

/** Return a fake storage whose methods in `broken` throw. */
function makeStorage(broken = []) {
  const values = new Map();
  const failIfBroken = (name, run) => (...given) => {
    if (broken.includes(name)) throw new DOMException("no", "QuotaExceededError");
    return run(...given);
  };
  return {
    values,
    getItem: failIfBroken("getItem", (name) => values.get(name) ?? null),
    setItem: failIfBroken("setItem", (name, value) => values.set(name, value)),
    removeItem: failIfBroken("removeItem", (name) => values.delete(name)),
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
  openBrowserValue("a").write({ n: 1 });
  openWindowValue("a").write({ n: 2 });
  assert.deepEqual([openBrowserValue("a").read(), openWindowValue("a").read(), openBrowserValue("b").read()], [{ n: 1 }, { n: 2 }, null]);
  assert.equal(local.values.get("board:a"), '{"n":1}');
  openBrowserValue("a").write(null);
  assert.deepEqual([openBrowserValue("a").read(), local.values.size], [null, 0]);
  local.values.set("board:a", "no JSON");
  assert.equal(openBrowserValue("a").read(), null);
});

test("with a full disk a value lasts while the page is open", () => {
  const broken = [];
  const local = makeStorage(broken);
  defineGlobal("localStorage", () => local);
  openBrowserValue("full").write(["old"]);
  broken.push("setItem");
  openBrowserValue("full").write(["old", "new"]);
  assert.deepEqual(openBrowserValue("full").read(), ["old", "new"]);
  openBrowserValue("full").read().push("nobody's");
  assert.deepEqual(openBrowserValue("full").read(), ["old", "new"]);
  broken.pop();
  openBrowserValue("full").write(["newest"]);
  assert.deepEqual(openBrowserValue("full").read(), ["newest"]);
  local.values.set("board:full", '["another window’s"]');
  assert.deepEqual(openBrowserValue("full").read(), ["another window’s"], "what is kept by the browser again is read there");
});

test("a value that did not fit can be deleted", () => {
  const local = makeStorage(["setItem"]);
  defineGlobal("localStorage", () => local);
  openBrowserValue("gone").write(1);
  openBrowserValue("gone").write(null);
  assert.equal(openBrowserValue("gone").read(), null);
});

test("without storage each area keeps its values in memory", () => {
  const forbidden = () => {
    throw new DOMException("no", "SecurityError");
  };
  defineGlobal("localStorage", forbidden);
  defineGlobal("sessionStorage", forbidden);
  assert.equal(openBrowserValue("forbidden").read(), null);
  openBrowserValue("forbidden").write("for all");
  openWindowValue("forbidden").write("for one");
  assert.deepEqual([openBrowserValue("forbidden").read(), openWindowValue("forbidden").read()], ["for all", "for one"]);
  openBrowserValue("forbidden").write(null);
  assert.deepEqual([openBrowserValue("forbidden").read(), openWindowValue("forbidden").read()], [null, "for one"]);
});
