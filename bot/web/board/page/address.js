/** What the part of the address behind `#` opens. It is never sent to a server by itself. */

/**
 * @typedef {object} Opening
 * @property {object} body what is posted to `./open`
 * @property {"key"|"watch"|"telegram"} by
 * @property {string} mark tells one opening from another, and opens nothing
 */

/**
 * @param {string} fragment as `location.hash` has it
 * @returns {Opening|null}
 */
export function opening(fragment) {
  const parts = new URLSearchParams(fragment.replace(/^#/, ""));
  const data = parts.get("tgWebAppData");
  if (data) return opened("telegram", { init_data: data, start: startOf(parts, data) }, data);
  for (const by of ["watch", "key"]) {
    const secret = bare(parts.get(by));
    if (secret) return opened(by, { [by]: secret }, secret);
  }
  return null;
}

/** What a key is made of, without the full stop or the bracket that stood behind the link in a text. */
function bare(text) {
  return text?.replace(/^[^\w-]+|[^\w-]+$/g, "");
}

/** Whether Telegram opened this page, so that its script is of use. */
export function isTelegram(fragment) {
  return /[#&]tgWebApp/.test(fragment);
}

/** The fragment without what opens anything; what Telegram says of its look stays for a reload. */
export function emptied(fragment) {
  const kept = fragment.replace(/^#/, "").split("&").filter((part) => !/^(key|watch|tgWebAppData)=/.test(part) && part);
  return kept.length ? `#${kept.join("&")}` : "";
}

function opened(by, body, secret) {
  return { by, body, mark: `${by}:${secret.slice(-12)}` };
}

function startOf(parts, data) {
  return new URLSearchParams(data).get("start_param") ?? parts.get("tgWebAppStartParam") ?? "";
}
