/** Values that the browser stores for this page. If it refuses (private windows, a full disk), memory holds them. */

/** A named value as JSON in `localStorage` (for all windows) or `sessionStorage` (for this one). */
export class StoredValue {
  /**
   * @param {string} name
   * @param {() => Storage} getStorage
   * @param {Map<string, string>} unsaved values that the storage refused, by name: newer than those in it
   */
  constructor(name, getStorage, unsaved) {
    this.name = `board:${name}`;
    this.getStorage = getStorage;
    this.unsaved = unsaved;
  }

  /** Return the value; null if there is none. */
  read() {
    try {
      return JSON.parse(this.unsaved.get(this.name) ?? this.getStorage().getItem(this.name));
    } catch {
      return null;
    }
  }

  /** Store the value; null deletes it. */
  write(value) {
    try {
      if (value === null) this.getStorage().removeItem(this.name);
      else this.getStorage().setItem(this.name, JSON.stringify(value));
      this.unsaved.delete(this.name);
    } catch {
      this.unsaved.set(this.name, JSON.stringify(value));
    }
  }
}

const unsavedOfBrowser = new Map();
const unsavedOfWindow = new Map();

/** Return the value of this name for all windows of the browser. */
export function openBrowserValue(name) {
  return new StoredValue(name, () => localStorage, unsavedOfBrowser);
}

/** Return the value of this name for this window alone. */
export function openWindowValue(name) {
  return new StoredValue(name, () => sessionStorage, unsavedOfWindow);
}

/** Return the valid items of a stored list; an empty list for any other value. */
export function readList(stored, isValid) {
  const value = stored.read();
  return Array.isArray(value) ? value.filter(isValid) : [];
}

/** Whether the value has a string in each of these fields. */
export function hasStrings(value, ...fields) {
  return fields.every((field) => typeof value?.[field] === "string");
}
