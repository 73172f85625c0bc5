import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";

const SOURCE = new URL("../../bot/web/board/page/service.js", import.meta.url);
const SCOPE = "https://board.example/";

/** The service worker over a network that answers with `status`, with a copy of each address in `kept`. */
async function worker(status, kept) {
  const heard = {};
  const self = { registration: { scope: SCOPE }, addEventListener: (name, done) => (heard[name] = done) };
  const caches = { match: async (address) => kept[address], open: async () => ({ put: async () => null }) };
  const fetch = async () => ({ status, ok: status < 400, clone() {}, from: "network" });
  new Function("self", "caches", "fetch", await readFile(SOURCE, "utf8"))(self, caches, fetch);
  return async (url) => {
    let answered = null;
    heard.fetch({ request: { url, method: "GET" }, respondWith: (answer) => (answered = answer), waitUntil() {} });
    return (await answered).from;
  };
}

test("what a proxy refuses for a while comes from the copy", async () => {
  const copy = { [`${SCOPE}board.css`]: { from: "copy" } };
  for (const status of [403, 404, 429, 500, 502]) {
    assert.equal(await (await worker(status, copy))(`${SCOPE}board.css`), "copy", String(status));
  }
  assert.equal(await (await worker(200, copy))(`${SCOPE}board.css`), "network");
  assert.equal(await (await worker(404, {}))(`${SCOPE}board.css`), "network");
});
