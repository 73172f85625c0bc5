import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";
import { load } from "./page.mjs";

const { emptied, isTelegram, likely, opening, session } = await load("session");

/** What a browser keeps, as far as the page asks for it. */
function area(session) {
  const values = session ? { "board:session": JSON.stringify(session) } : {};
  return {
    getItem: (name) => values[name] ?? null,
    setItem: (name, value) => (values[name] = value),
    removeItem: (name) => delete values[name],
  };
}

const LINK = "#tgWebAppData=user%3D%257B%257D%26hash%3D0123456789abcdef";
const hashed = (text) => createHash("sha256").update(text).digest("hex");

/** What the service is asked when a page is opened; each answer in turn. */
function asked(...answers) {
  const sent = [];
  globalThis.fetch = async (_, { body }) => {
    sent.push(JSON.parse(body));
    return answers.shift()();
  };
  return sent;
}

const opens = () => Response.json({ session: "new", until: 9e9 });
const cut = () => ({ ok: true, status: 200, text: () => Promise.reject(new TypeError("cut")) });

beforeEach(() => {
  globalThis.sessionStorage = area(null);
  globalThis.localStorage = area({ session: "s", until: 1, you: { id: 11, name: "Ann" } });
});

test("without a connection it is whoever played here last", () => {
  assert.equal(likely(null).id, 11);
  globalThis.sessionStorage = area({ session: "t", until: 1, you: { id: 22, name: "Bob" } });
  assert.equal(likely(null).id, 22);
  [globalThis.sessionStorage, globalThis.localStorage] = [area(null), area(null)];
  assert.equal(likely(null), null);
});

test("Telegram says who it is, and a key that was not used yet does not", () => {
  const user = encodeURIComponent(JSON.stringify({ id: 33, first_name: "Cy" }));
  const data = encodeURIComponent(`user=${user}&auth_date=1&hash=0123456789abcdef`);
  assert.equal(likely(opening(`#tgWebAppData=${data}`)).id, 33);
  assert.equal(likely(opening("#tgWebAppData=user%3D%257B")), null);
  assert.equal(likely(opening("#key=abc")), null);
  assert.equal(likely(opening("#watch=abc")), null);
});

test("an opening whose answer is cut off is none, and the same window is known when it asks again, over a reload", async () => {
  const sent = asked(cut, () => new Response(null, { status: 503 }), opens);
  await assert.rejects(session(opening(LINK), 10), { why: null });
  await assert.rejects(session(opening(LINK), 10), { why: null });
  const { session: reloaded } = await load("session", "?reloaded");
  assert.equal((await reloaded(opening(LINK), 10)).session, "new");
  assert.deepEqual(sent.slice(1).map(({ page }) => hashed(page)), sent.slice(0, 2).map(({ page }) => page));
});

test("another window is not known, nor another link", async () => {
  const sent = asked(cut, cut, cut);
  await assert.rejects(session(opening(LINK), 10));
  globalThis.sessionStorage = area(null);
  await assert.rejects(session(opening(LINK), 10));
  await assert.rejects(session(opening(LINK.replace("0123", "3210").replace("abcdef", "fedcba")), 10));
  const pages = sent.map(({ page }) => page);
  assert.equal(new Set(pages).size, 3);
  assert.equal(pages.some((page) => pages.includes(hashed(page))), false);
});

test("a key and a link to watch prove nothing", async () => {
  const sent = asked(opens, opens);
  await session(opening("#key=abc"), 10);
  await session(opening("#watch=abc"), 10);
  assert.deepEqual(sent, [{ key: "abc" }, { watch: "abc" }]);
});

test("a session is asked for with a clock that is ahead, and one that lasts comes first", async () => {
  assert.equal((await session(null, 10)).session, "s", "the service knows whether it is over");
  globalThis.sessionStorage = area({ session: "t", until: 1 });
  globalThis.localStorage = area({ session: "u", until: 20 });
  assert.equal((await session(null, 10)).session, "u");
});

const DATA = "query_id=1&user=%7B%22id%22%3A7%7D&start_param=g7_x-&auth_date=1&hash=ab12cd34ef56";
const FRAGMENT = `#tgWebAppData=${encodeURIComponent(DATA)}&tgWebAppVersion=8.0&tgWebAppPlatform=ios`;

test("what an address opens", () => {
  assert.deepEqual(opening("#key=abc").body, { key: "abc" });
  assert.deepEqual(opening("#watch=t0k").body, { watch: "t0k" });
  assert.deepEqual(opening(FRAGMENT).body, { init_data: DATA, start: "g7_x-" });
  for (const behind of [".", ")", "%20", "。", "…"]) assert.deepEqual(opening(`#key=a-b_c${behind}`).body, { key: "a-b_c" });
  for (const nothing of ["", "#", "#other=1", "#key=", "#key=."]) assert.equal(opening(nothing), null);
});

test("its mark opens nothing, and tells one from another", () => {
  assert.ok(!opening(`#key=${"k".repeat(30)}`).mark.includes("k".repeat(13)));
  assert.notEqual(opening("#key=abc").mark, opening("#watch=abc").mark);
});

test("what was used leaves the address, Telegram's look stays", () => {
  assert.equal(emptied("#key=abc"), "");
  assert.equal(emptied("#watch=abc"), "");
  assert.equal(emptied(FRAGMENT), "#tgWebAppVersion=8.0&tgWebAppPlatform=ios");
  assert.ok(isTelegram(emptied(FRAGMENT)) && isTelegram(FRAGMENT) && !isTelegram("#key=tgWebApp"));
});
