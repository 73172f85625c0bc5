/**
 * The boards that are open in one browser. Without HTTP/2 it has six connections for all of them, and each live board
 * holds one: so the oldest makes room.
 */
import { fresh } from "./entries.js";

/** So many boards are live at most; the sixth connection is for what is handed in. */
const MOST = 5;

export class Boards {
  #channel;
  #id = fresh();
  /** Boards that became live after this one; null while this one is not. */
  #newer = null;

  /**
   * @param {BroadcastChannel} channel to the other boards
   * @param {() => void} makeRoom called when so many newer boards are live that this one must not be
   */
  constructor(channel, makeRoom) {
    this.#channel = channel;
    channel.onmessage = ({ data: { id, live } }) => {
      if (live) this.#newer?.add(id);
      else this.#newer?.delete(id);
      if (this.#newer?.size >= MOST) makeRoom();
    };
  }

  /** Tell the other boards whether this one is live. */
  tell(live) {
    this.#newer = live ? new Set() : null;
    this.#channel.postMessage({ id: this.#id, live });
  }
}
