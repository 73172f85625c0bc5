// What the oldest browsers do not have: each line is refused, or its directive is reported as unused.
/* eslint-disable-next-line no-restricted-properties */
AbortSignal.timeout(1);
/* eslint-disable-next-line no-restricted-properties */
[].findLast(Boolean);
/* eslint-disable-next-line no-restricted-properties */
document.body.checkVisibility();
/* eslint-disable-next-line no-restricted-globals */
structuredClone({});
/* eslint-disable-next-line no-restricted-syntax */
/(?<=a)b/.test("ab");
