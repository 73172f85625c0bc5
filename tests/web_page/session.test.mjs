import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";
import { load } from "./page.mjs";

const { guessPerson, isOpenedByTelegram, openSession, parseOpening, removeSecrets } = await load("session");

/** Return a fake of the browser's storage. */
function makeStorage(session) {
  const values = session ? { "board:session": JSON.stringify(session) } : {};
  return {
    getItem: (name) => values[name] ?? null,
    setItem: (name, value) => (values[name] = value),
    removeItem: (name) => delete values[name],
  };
}

const LINK = "#tgWebAppData=user%3D%257B%257D%26hash%3D0123456789abcdef";
const hash = (text) => createHash("sha256").update(text).digest("hex");

/** Fake the service with these answers in turn; return the requests that it gets. */
function fakeService(...answers) {
  const sent = [];
  globalThis.fetch = async (_, { body }) => {
    sent.push(JSON.parse(body));
    return answers.shift()();
  };
  return sent;
}

const accept = () => Response.json({ session: "new", until: 9e9 });
const cutOff = () => ({ ok: true, status: 200, text: () => Promise.reject(new TypeError("cut")) });

beforeEach(() => {
  globalThis.sessionStorage = makeStorage(null);
  globalThis.localStorage = makeStorage({ session: "s", until: 1, you: { id: 11, name: "Ann" } });
});

test("without a connection the last person of this browser is shown", () => {
  assert.equal(guessPerson(null).id, 11);
  globalThis.sessionStorage = makeStorage({ session: "t", until: 1, you: { id: 22, name: "Bob" } });
  assert.equal(guessPerson(null).id, 22);
  [globalThis.sessionStorage, globalThis.localStorage] = [makeStorage(null), makeStorage(null)];
  assert.equal(guessPerson(null), null);
});

test("Telegram's data identify the person, an unused key does not", () => {
  const user = encodeURIComponent(JSON.stringify({ id: 33, first_name: "Cy" }));
  const data = encodeURIComponent(`user=${user}&auth_date=1&hash=0123456789abcdef`);
  assert.equal(guessPerson(parseOpening(`#tgWebAppData=${data}`)).id, 33);
  assert.equal(guessPerson(parseOpening("#tgWebAppData=user%3D%257B")), null);
  assert.equal(guessPerson(parseOpening("#key=abc")), null);
  assert.equal(guessPerson(parseOpening("#watch=abc")), null);
});

test("a repeated opening after a cut answer names the same window", async () => {
  const sent = fakeService(cutOff, () => new Response(null, { status: 503 }), accept);
  await assert.rejects(openSession(parseOpening(LINK), 10), { status: null });
  await assert.rejects(openSession(parseOpening(LINK), 10), { status: null });
  const { openSession: reloaded } = await load("session", "?reloaded");
  assert.equal((await reloaded(parseOpening(LINK), 10)).session, "new");
  assert.deepEqual(sent.slice(1).map(({ page }) => hash(page)), sent.slice(0, 2).map(({ page }) => page));
});

test("another window or link is not recognized", async () => {
  const sent = fakeService(cutOff, cutOff, cutOff);
  await assert.rejects(openSession(parseOpening(LINK), 10));
  globalThis.sessionStorage = makeStorage(null);
  await assert.rejects(openSession(parseOpening(LINK), 10));
  await assert.rejects(openSession(parseOpening(LINK.replace("0123", "3210").replace("abcdef", "fedcba")), 10));
  const pages = sent.map(({ page }) => page);
  assert.equal(new Set(pages).size, 3);
  assert.equal(pages.some((page) => pages.includes(hash(page))), false);
});

test("keys and spectator links identify nobody", async () => {
  const sent = fakeService(accept, accept);
  await openSession(parseOpening("#key=abc"), 10);
  await openSession(parseOpening("#watch=abc"), 10);
  assert.deepEqual(sent, [{ key: "abc" }, { watch: "abc" }]);
});

test("sessions are refreshed with a wrong clock, and lasting ones are preferred", async () => {
  assert.equal((await openSession(null, 10)).session, "s", "the service knows whether it is over");
  globalThis.sessionStorage = makeStorage({ session: "t", until: 1 });
  globalThis.localStorage = makeStorage({ session: "u", until: 20 });
  assert.equal((await openSession(null, 10)).session, "u");
});

const DATA = "query_id=1&user=%7B%22id%22%3A7%7D&start_param=g7_x-&auth_date=1&hash=ab12cd34ef56";
const FRAGMENT = `#tgWebAppData=${encodeURIComponent(DATA)}&tgWebAppVersion=8.0&tgWebAppPlatform=ios`;

test("an address is parsed into the way to open it", () => {
  assert.deepEqual(parseOpening("#key=abc").body, { key: "abc" });
  assert.deepEqual(parseOpening("#watch=t0k").body, { watch: "t0k" });
  assert.deepEqual(parseOpening(FRAGMENT).body, { init_data: DATA, start: "g7_x-" });
  for (const behind of [".", ")", "%20", "。", "…"]) assert.deepEqual(parseOpening(`#key=a-b_c${behind}`).body, { key: "a-b_c" });
  for (const nothing of ["", "#", "#other=1", "#key=", "#key=."]) assert.equal(parseOpening(nothing), null);
});

test("the mark of an address opens nothing and differs between addresses", () => {
  assert.ok(!parseOpening(`#key=${"k".repeat(30)}`).mark.includes("k".repeat(13)));
  assert.notEqual(parseOpening("#key=abc").mark, parseOpening("#watch=abc").mark);
});

test("a used address is cleaned, Telegram's parameters stay", () => {
  assert.equal(removeSecrets("#key=abc"), "");
  assert.equal(removeSecrets("#watch=abc"), "");
  assert.equal(removeSecrets(FRAGMENT), "#tgWebAppVersion=8.0&tgWebAppPlatform=ios");
  assert.ok(isOpenedByTelegram(removeSecrets(FRAGMENT)) && isOpenedByTelegram(FRAGMENT) && !isOpenedByTelegram("#key=tgWebApp"));
});
