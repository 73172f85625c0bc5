/** What the page asks of the service beside `./events`. Each rejects when no answer comes. */

/** Posts JSON with the session's key. */
export async function posted(path, bearer, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
  });
  const after = Number(answer.headers.get("Retry-After")) || null;
  return { status: answer.status, after, json: () => answer.json() };
}
