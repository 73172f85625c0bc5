import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "./page.mjs";

const { likely } = await load("session");
const { opening } = await load("address");

/** What a browser keeps, as far as the page asks for it. */
function area(session) {
  const values = session ? { "board:session": JSON.stringify(session) } : {};
  return { getItem: (name) => values[name] ?? null };
}

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
