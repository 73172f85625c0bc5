import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";

const SOURCE = new URL("../../bot/board/page/service.js", import.meta.url);
const SCOPE = "https://board.example/";

/** The keeper of the files in a browser that keeps `stored`, before a service that answers as `answer` says. */
async function worker(stored, answer) {
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

test("all files are fetched as of one version, and answered from there whatever the network has", async () => {
  const stored = {};
  const { asked, install, get } = await worker(stored, network);
  await install();
  assert.ok(asked.length > 35);
  assert.ok(asked.every((url) => url.endsWith("?v=new")), asked.join());
  for (const name of ["", "game.js", "board.css", "words/ru.json"]) {
    assert.equal(await get(`${SCOPE}${name}`), `network ${name}?v=new`);
  }
  assert.equal(await get(`${SCOPE}?tgWebAppStartParam=x`), "network ?v=new");
});

test("what is said to the bot goes past it", async () => {
  const { get } = await worker({}, network);
  for (const url of [`${SCOPE}events`, `${SCOPE}state`, `${SCOPE}service.js`]) assert.equal(await get(url), null);
  assert.equal(await get(SCOPE, "POST"), null);
});

test("where one file is of another version none is kept for use", async () => {
  const stored = { "board-old": {} };
  const { install } = await worker(stored, (url) => (url.includes("tiles.js") ? { ok: false, status: 404 } : network(url)));
  await assert.rejects(install(), /404 .*tiles\.js/);
  assert.ok("board-old" in stored);
});

test("a file that the browser threw away comes from the network", async () => {
  const { get } = await worker({}, network);
  assert.equal(await get(`${SCOPE}game.js`), "network game.js");
});

test("the former version's files go once no page uses them, and nobody else's", async () => {
  const stored = { "board-old": {}, "board-new": {}, "another's": {} };
  await (await worker(stored, network)).activate();
  assert.deepEqual(Object.keys(stored), ["board-new", "another's"]);
});
