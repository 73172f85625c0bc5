/** Exact values: numerator and denominator are BigInt, in lowest terms, the denominator above zero. */
export class Fraction {
  /**
   * @param {bigint} top
   * @param {bigint} bottom anything but zero; RangeError otherwise
   */
  constructor(top, bottom = 1n) {
    if (bottom === 0n) throw new RangeError(`no value: ${top}/0`);
    const sign = bottom < 0n ? -1n : 1n;
    const shared = divisor(top, bottom);
    this.top = (sign * top) / shared;
    this.bottom = (sign * bottom) / shared;
    Object.freeze(this);
  }

  /**
   * Reads "n" or "n/d", either with a sign before it. SyntaxError for anything else.
   * @param {string} text
   */
  static parse(text) {
    const match = text.match(/^(-?\d+)(?:\/(\d+))?$/);
    if (!match) throw new SyntaxError(`not a number: "${text}"`);
    return new Fraction(BigInt(match[1]), BigInt(match[2] ?? 1));
  }

  plus(other) {
    return new Fraction(this.top * other.bottom + other.top * this.bottom, this.bottom * other.bottom);
  }

  minus(other) {
    return new Fraction(this.top * other.bottom - other.top * this.bottom, this.bottom * other.bottom);
  }

  times(other) {
    return new Fraction(this.top * other.top, this.bottom * other.bottom);
  }

  /** RangeError when `other` is zero. */
  over(other) {
    return new Fraction(this.top * other.bottom, this.bottom * other.top);
  }

  equals(other) {
    return this.top === other.top && this.bottom === other.bottom;
  }

  get isZero() {
    return this.top === 0n;
  }

  get isWhole() {
    return this.bottom === 1n;
  }

  get isPositive() {
    return this.top > 0n;
  }

  /** What `parse` reads. */
  toString() {
    return this.isWhole ? `${this.top}` : `${this.top}/${this.bottom}`;
  }
}

/** The largest number that divides both, above zero. */
function divisor(one, other) {
  let [a, b] = [one < 0n ? -one : one, other < 0n ? -other : other];
  while (b) [a, b] = [b, a % b];
  return a || 1n;
}
