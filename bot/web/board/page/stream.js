/** Reads server-sent events out of chunks of text, however they are cut. */
export class Events {
  #rest = "";
  #name = "";
  #data = [];
  /** The newest event's id, to be asked from again. */
  lastId = "";

  /**
   * The events that this chunk completes; comments are none.
   * @param {string} chunk
   * @returns {Array<{name: string, data: string}>}
   */
  read(chunk) {
    const found = [];
    const lines = (this.#rest + chunk).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop();
    for (const line of lines) {
      const event = this.#line(line);
      if (event) found.push(event);
    }
    return found;
  }

  #line(line) {
    if (line === "") return this.#ended();
    const [, field, value] = line.match(/^([^:]*):? ?(.*)$/s);
    if (field === "event") this.#name = value;
    if (field === "data") this.#data.push(value);
    if (field === "id") this.lastId = value;
    return null;
  }

  #ended() {
    const event = this.#data.length ? { name: this.#name || "message", data: this.#data.join("\n") } : null;
    this.#name = "";
    this.#data = [];
    return event;
  }
}
