import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { emptied, isTelegram, opening } = await load("address");
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
