/** What the page asks of the service beside `./events`. Each rejects when no answer comes. */

/** Milliseconds after which no answer is waited for: the network may have changed under the question. */
const PATIENCE = 10_000;

/** A signal that ends a question by then. */
export function soon() {
  return AbortSignal.timeout(PATIENCE);
}

/** Posts JSON with the session's key. */
export async function posted(path, bearer, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
    signal: soon(),
  });
  const after = Number(answer.headers.get("Retry-After")) || null;
  return { status: answer.status, after, json: () => answer.json() };
}
