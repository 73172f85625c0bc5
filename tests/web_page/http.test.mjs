import assert from "node:assert/strict";
import { test } from "node:test";
import { load, memory } from "./page.mjs";

const { postJson, sendRequest } = await load("http");
const { EntryQueue } = await load("entries");
const { setLanguage } = await load("translations");

test("an answer is read to its end", async () => {
  globalThis.fetch = async () => new Response('{"a":1}', { status: 202, headers: { "Retry-After": "3" } });
  const { status, ok, retryAfterSeconds, json } = await postJson("./entry", {});
  assert.deepEqual([status, ok, retryAfterSeconds, json()], [202, true, 3, { a: 1 }]);
});

test("post returns null for a failing network, a cut answer and no answer", async (t) => {
  globalThis.fetch = async () => Promise.reject(new TypeError("Failed to fetch"));
  assert.equal(await sendRequest("./state"), null);
  globalThis.fetch = async () => ({ text: () => Promise.reject(new TypeError("network error")) });
  assert.equal(await sendRequest("./state"), null);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.fetch = (_, { signal }) => new Promise((_, fails) => signal.addEventListener("abort", () => fails(new Error("aborted"))));
  const asking = sendRequest("./state");
  t.mock.timers.tick(10_000);
  assert.equal(await asking, null);
});

test("an answer of another server, such as a login page, is no JSON", async () => {
  globalThis.fetch = async () => new Response("<!doctype html>");
  assert.equal((await sendRequest("./state")).json(), null);
});

test("an error of the page is reported as such by every request", async (t) => {
  t.after(() => (globalThis.AbortController = original));
  const original = globalThis.AbortController;
  globalThis.AbortController = class { constructor() { this.no.such.part; } };
  await assert.rejects(sendRequest("./state"), TypeError);
  await assert.rejects(setLanguage("es"), TypeError);
  const entries = new EntryQueue((entry) => postJson("./entry", entry), { waiting: memory([{ id: "a", press: "h:1" }]), ownIds: memory() }, {});
  await assert.rejects(entries.send(), TypeError);
  const { openSession } = await load("session");
  await assert.rejects(openSession({ by: "key", body: { key: "k" }, mark: "m" }, 0), TypeError);
});
