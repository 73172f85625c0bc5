/** Refuse features that the page's oldest supported browsers lack, by MDN's compatibility data. */
import css from "@eslint/css";
import { createRequire } from "node:module";

const { api, javascript } = createRequire(import.meta.url)("@mdn/browser-compat-data");
const OLDEST = { safari: 15.4, chrome: 94 };
/** Only members of common interfaces are checked: ESLint sees names alone, and the page may use those of rarer ones. */
const COMMON_INTERFACES = ["AbortSignal", "Document", "Element", "HTMLElement", "Node", "Response", "URL", "Window"];

function isSupported({ support }) {
  return Object.entries(OLDEST).every(([browser, oldest]) => {
    const { version_added: added, flags, prefix } = [support[browser]].flat()[0] ?? {};
    return added && !flags && !prefix && parseFloat(String(added).replace("≤", "")) <= oldest;
  });
}

const globals = [];
const statics = [];
const memberNames = { supported: new Set(), newer: new Set() };
for (const [name, { __compat, ...parts }] of Object.entries({ ...api, ...javascript.builtins })) {
  if (!__compat) continue;
  if (!isSupported(__compat)) globals.push(name);
  for (const [part, { __compat: compat }] of Object.entries(parts)) {
    if (!compat) continue;
    const isMemberSupported = isSupported(compat);
    if (!part.endsWith("_static")) {
      if (isMemberSupported) memberNames.supported.add(part);
      else if (COMMON_INTERFACES.includes(name) || (name in javascript.builtins && name !== "Iterator")) memberNames.newer.add(part);
    } else if (!isMemberSupported) statics.push({ object: name, property: part.replace("_static", "") });
  }
}
const newerMembers = [...memberNames.newer].filter((name) => !memberNames.supported.has(name)).map((property) => ({ property }));
export default [
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2022 },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-restricted-globals": ["error", ...globals],
      "no-restricted-properties": ["error", ...statics, ...newerMembers],
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
          allowSelectors: ["backdrop", "focus-visible"],
          allowMediaConditions: ["forced-colors"],
        },
      ],
    },
  },
];
