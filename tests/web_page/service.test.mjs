import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";

const SOURCE = new URL("../../bot/board/page/service.js", import.meta.url);
const SCOPE = "https://board.example/";

/** Load the service worker into a browser that has `stored`, before a service with `answer`. */
async function loadWorker(stored, answer) {
  const heard = {};
  const asked = [];
  const self = {
    registration: { scope: SCOPE },
    addEventListener: (name, done) => (heard[name] = done),
    clients: { claim: async () => null },
  };
  const opened = (files) => ({ match: async (address) => files[address], put: async (address, given) => (files[address] = given) });
  const caches = {
    open: async (name) => opened((stored[name] ??= {})),
    keys: async () => Object.keys(stored),
    delete: async (name) => delete stored[name],
  };
  const fetch = async (request) => {
    asked.push(request.url ?? request);
    return answer(request.url ?? request);
  };
  const source = (await readFile(SOURCE, "utf8")).replace('VERSION = "0"', 'VERSION = "new"');
  new Function("self", "caches", "fetch", source)(self, caches, fetch);
  const lasting = (name) => {
    let done;
    heard[name]({ waitUntil: (work) => (done = work) });
    return done;
  };
  const get = async (url, method = "GET") => {
    let answered = null;
    heard.fetch({ request: { url, method }, respondWith: (given) => (answered = given) });
    return answered && (await answered).from;
  };
  return { asked, install: () => lasting("install"), activate: () => lasting("activate"), get };
}

const network = (url) => ({ ok: true, status: 200, from: `network ${url.replace(SCOPE, "")}` });

test("all files are cached as one version and served from the cache", async () => {
  const stored = {};
  const { asked, install, get } = await loadWorker(stored, network);
  await install();
  assert.ok(asked.length > 35);
  assert.ok(asked.every((url) => url.endsWith("?v=new")), asked.join());
  for (const name of ["", "game.js", "board.css", "words/ru.json"]) {
    assert.equal(await get(`${SCOPE}${name}`), `network ${name}?v=new`);
  }
  assert.equal(await get(`${SCOPE}?tgWebAppStartParam=x`), "network ?v=new");
});

test("requests to the bot bypass the cache", async () => {
  const { get } = await loadWorker({}, network);
  for (const url of [`${SCOPE}events`, `${SCOPE}state`, `${SCOPE}service.js`]) assert.equal(await get(url), null);
  assert.equal(await get(SCOPE, "POST"), null);
});

test("nothing is cached if one file has another version", async () => {
  const stored = { "board-old": {} };
  const { install } = await loadWorker(stored, (url) => (url.includes("tiles.js") ? { ok: false, status: 404 } : network(url)));
  await assert.rejects(install(), /404 .*tiles\.js/);
  assert.ok("board-old" in stored);
});

test("a file missing from the cache comes from the network", async () => {
  const { get } = await loadWorker({}, network);
  assert.equal(await get(`${SCOPE}game.js`), "network game.js");
});

test("an old version's files are deleted once no page uses them, others stay", async () => {
  const stored = { "board-old": {}, "board-new": {}, "another's": {} };
  await (await loadWorker(stored, network)).activate();
  assert.deepEqual(Object.keys(stored), ["board-new", "another's"]);
});
