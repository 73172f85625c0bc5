import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { Telegram } = await load("telegram");

/** Return Telegram's object of a version, which throws for newer methods, as old apps do. */
function makeApp(version) {
  const called = [];
  const atLeast = (wanted) => Number(version) >= Number(wanted);
  const since = (wanted, name) => (...given) => {
    if (!atLeast(wanted)) throw new Error("WebAppMethodUnsupported");
    called.push([name, ...given.filter((each) => typeof each !== "function")].join(" "));
  };
  return {
    called,
    colorScheme: "dark",
    isVersionAtLeast: atLeast,
    ready: since("0", "ready"),
    expand: since("0", "expand"),
    onEvent: since("0", "on"),
    disableVerticalSwipes: since("7.7", "no swipes"),
    enableClosingConfirmation: since("6.2", "confirm"),
    disableClosingConfirmation: since("6.2", "do not confirm"),
    shareMessage: since("8.0", "share"),
    BackButton: { onClick: since("6.1", "back does"), show: since("6.1", "back"), hide: since("6.1", "no back") },
    HapticFeedback: {
      selectionChanged: since("6.1", "tick"),
      impactOccurred: since("6.1", "impact"),
      notificationOccurred: since("6.1", "haptic"),
    },
  };
}

function callEverything(app) {
  const telegram = new Telegram(app);
  const root = { dataset: {} };
  telegram.setUpPage(root);
  telegram.vibrateForTap();
  telegram.vibrateForMerge();
  telegram.vibrateForVerdict(true);
  telegram.vibrateForVerdict(false);
  telegram.protectMoves(true, () => {});
  telegram.protectMoves(true, () => {});
  telegram.protectMoves(false, () => {});
  if (telegram.canShare) telegram.shareMessage("m1");
  return root;
}

test("a new app gets every call once", () => {
  const app = makeApp("8.0");
  const root = callEverything(app);
  assert.deepEqual(root.dataset, { telegram: "", scheme: "dark" });
  assert.deepEqual(app.called, [
    "ready", "expand", "no swipes", "on themeChanged", "tick", "impact light", "haptic success", "haptic error",
    "back does", "back", "confirm", "back", "no back", "do not confirm", "share m1",
  ]);
});

test("an old app gets only the calls it supports", () => {
  const app = makeApp("6.0");
  callEverything(app);
  assert.deepEqual(app.called, ["ready", "expand", "on themeChanged"]);
});

test("without Telegram nothing happens", () => {
  assert.deepEqual(callEverything(undefined).dataset, {});
});
