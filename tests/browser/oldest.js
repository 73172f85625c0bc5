// Remove from the browser what Safari 15.4 or Chrome 94 lack.
{
  const newer = {
    AbortSignal: ["any", "timeout"],
    "AbortSignal.prototype": ["reason", "throwIfAborted"],
    Array: ["fromAsync"],
    "Array.prototype": ["findLast", "findLastIndex", "toReversed", "toSorted", "toSpliced", "with"],
    "Document.prototype": ["startViewTransition"],
    "Element.prototype": ["checkVisibility", "getHTML", "moveBefore", "setHTMLUnsafe"],
    "Headers.prototype": ["getSetCookie"],
    "HTMLElement.prototype": ["hidePopover", "inert", "popover", "showPopover", "togglePopover"],
    Map: ["groupBy"],
    "Map.prototype": ["getOrInsert", "getOrInsertComputed"],
    "Navigator.prototype": ["userActivation"],
    Object: ["groupBy"],
    Promise: ["try", "withResolvers"],
    "ReadableStream.prototype": [Symbol.asyncIterator, "values"],
    Response: ["json"],
    "Set.prototype": ["difference", "intersection", "isDisjointFrom", "isSubsetOf", "isSupersetOf", "symmetricDifference", "union"],
    "String.prototype": ["isWellFormed", "toWellFormed"],
    URL: ["canParse", "parse"],
    "URLSearchParams.prototype": ["size"],
    globalThis: ["CompressionStream", "Iterator", "navigation", "requestIdleCallback", "scheduler", "structuredClone"],
  };
  for (const [owner, names] of Object.entries(newer)) {
    const found = owner.split(".").reduce((each, name) => each?.[name], globalThis);
    for (const name of found ? names : []) delete found[name];
  }
}
