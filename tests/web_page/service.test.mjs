import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";

const SOURCE = new URL("../../bot/board/page/service.js", import.meta.url);
const SCOPE = "https://board.example/";

/** Load the service worker into a browser that has `stored`, before a service with `answer`. */
async function loadWorker(stored, answer) {
  const listeners = {};
  const requested = [];
  const self = {
    registration: { scope: SCOPE },
    addEventListener: (name, done) => (listeners[name] = done),
    clients: { claim: async () => null },
  };
  const openCache = (files) => ({ match: async (address) => files[address], put: async (address, response) => (files[address] = response) });
  const caches = {
    open: async (name) => openCache((stored[name] ??= {})),
    keys: async () => Object.keys(stored),
    delete: async (name) => delete stored[name],
  };
  const fetch = async (request) => {
    requested.push(request.url ?? request);
    return answer(request.url ?? request);
  };
  const source = (await readFile(SOURCE, "utf8"))
    .replace('VERSION = "0"', 'VERSION = "new"')
    .replace("LANGUAGES = []", 'LANGUAGES = ["ru"]');
  new Function("self", "caches", "fetch", source)(self, caches, fetch);
  const dispatch = (name) => {
    let done;
    listeners[name]({ waitUntil: (work) => (done = work) });
    return done;
  };
  const get = async (url, method = "GET") => {
    let answered = null;
    listeners.fetch({ request: { url, method }, respondWith: (response) => (answered = response) });
    return answered && (await answered).from;
  };
  return { requested, install: () => dispatch("install"), activate: () => dispatch("activate"), get };
}

const network = (url) => ({ ok: true, status: 200, from: `network ${url.replace(SCOPE, "")}` });

test("all files are cached as one version and served from the cache", async () => {
  const stored = {};
  const { requested, install, get } = await loadWorker(stored, network);
  await install();
  assert.ok(requested.length > 35);
  assert.ok(requested.every((url) => url.endsWith("?v=new")), requested.join());
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
