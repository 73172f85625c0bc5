import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { ask, post } = await load("calls");
const { Entries } = await load("entries");
const { speak } = await load("words");

test("an answer is read to its end", async () => {
  globalThis.fetch = async () => new Response('{"a":1}', { status: 202, headers: { "Retry-After": "3" } });
  const { status, ok, after, json } = await post("./entry", {});
  assert.deepEqual([status, ok, after, json()], [202, true, 3, { a: 1 }]);
});

test("post returns null for a failing network, a cut answer and no answer", async (t) => {
  globalThis.fetch = async () => Promise.reject(new TypeError("Failed to fetch"));
  assert.equal(await ask("./state"), null);
  globalThis.fetch = async () => ({ text: () => Promise.reject(new TypeError("network error")) });
  assert.equal(await ask("./state"), null);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.fetch = (_, { signal }) => new Promise((_, fails) => signal.addEventListener("abort", () => fails(new Error("aborted"))));
  const asking = ask("./state");
  t.mock.timers.tick(10_000);
  assert.equal(await asking, null);
});

test("an answer of another server, such as a login page, is no JSON", async () => {
  globalThis.fetch = async () => new Response("<!doctype html>");
  assert.equal((await ask("./state")).json(), null);
});

test("an error of the page is reported as such by every request", async (t) => {
  t.after(() => (globalThis.AbortController = kept));
  const kept = globalThis.AbortController;
  globalThis.AbortController = class { constructor() { this.no.such.part; } };
  await assert.rejects(ask("./state"), TypeError);
  await assert.rejects(speak("es"), TypeError);
  const entries = new Entries((entry) => post("./entry", entry), { waiting: memory([{ id: "a", press: "h:1" }]), made: memory() }, {});
  await assert.rejects(entries.run(), TypeError);
  const { session } = await load("session");
  await assert.rejects(session({ by: "key", body: { key: "k" }, mark: "m" }, 0), TypeError);
});
