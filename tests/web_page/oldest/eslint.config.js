/** Refuses what the oldest browsers of the board do not have, by what MDN knows of browsers. */
import css from "@eslint/css";
import { createRequire } from "node:module";

const { api, javascript } = createRequire(import.meta.url)("@mdn/browser-compat-data");
const OLDEST = { safari: 15.4, chrome: 94 };
/** What every page has many of. Members of rarer objects are not told from the page's own by their names. */
const COMMON = ["AbortSignal", "Document", "Element", "HTMLElement", "Node", "Response", "URL", "Window"];

function isThere({ support }) {
  return Object.entries(OLDEST).every(([browser, oldest]) => {
    const { version_added: added, flags, prefix } = [support[browser]].flat()[0] ?? {};
    return added && !flags && !prefix && parseFloat(String(added).replace("≤", "")) <= oldest;
  });
}

const globals = [];
const statics = [];
const members = { there: new Set(), newer: new Set() };
for (const [name, { __compat, ...parts }] of Object.entries({ ...api, ...javascript.builtins })) {
  if (!__compat) continue;
  if (!isThere(__compat)) globals.push(name);
  for (const [part, { __compat: known }] of Object.entries(parts)) {
    if (!known) continue;
    const there = isThere(known);
    if (!part.endsWith("_static")) {
      if (there) members.there.add(part);
      else if (COMMON.includes(name) || (name in javascript.builtins && name !== "Iterator")) members.newer.add(part);
    } else if (!there) statics.push({ object: name, property: part.replace("_static", "") });
  }
}
const newer = [...members.newer].filter((name) => !members.there.has(name)).map((property) => ({ property }));
export default [
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2022 },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-restricted-globals": ["error", ...globals],
      "no-restricted-properties": ["error", ...statics, ...newer],
      "no-restricted-syntax": ["error", "StaticBlock", "Literal[regex.pattern=/\\(\\?<[=!]/]"],
    },
  },
  {
    files: ["**/*.css"],
    plugins: { css },
    language: "css/css",
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "css/use-baseline": [
        "error",
        {
          available: 2021,
          // Both have these, or look well without them.
          allowProperties: ["color-scheme", "forced-color-adjust", "hyphens", "outline", "text-size-adjust", "text-wrap", "user-select"],
          allowPropertyValues: { "overflow-wrap": ["anywhere"], "font-family": ["ui-monospace"] },
          allowSelectors: ["focus-visible"],
          allowMediaConditions: ["forced-colors"],
        },
      ],
    },
  },
];
