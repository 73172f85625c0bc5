/** Exact values: numerator and denominator are BigInt, in lowest terms, the denominator above zero. */
export class Fraction {
  /**
   * @param {bigint} numerator
   * @param {bigint} denominator
   * @throws {RangeError} if the denominator is zero
   */
  constructor(numerator, denominator = 1n) {
    if (denominator === 0n) throw new RangeError(`no value: ${numerator}/0`);
    const sign = denominator < 0n ? -1n : 1n;
    const divisor = computeGcd(numerator, denominator);
    this.numerator = (sign * numerator) / divisor;
    this.denominator = (sign * denominator) / divisor;
    Object.freeze(this);
  }

  /**
   * Parse "n" or "n/d", either with a minus before it.
   * @param {string} text
   * @throws {SyntaxError} for any other text
   */
  static parse(text) {
    const match = text.match(/^(-?\d+)(?:\/(\d+))?$/);
    if (!match) throw new SyntaxError(`not a number: "${text}"`);
    return new Fraction(BigInt(match[1]), BigInt(match[2] ?? 1));
  }

  plus(other) {
    const numerator = this.numerator * other.denominator + other.numerator * this.denominator;
    return new Fraction(numerator, this.denominator * other.denominator);
  }

  minus(other) {
    const numerator = this.numerator * other.denominator - other.numerator * this.denominator;
    return new Fraction(numerator, this.denominator * other.denominator);
  }

  times(other) {
    return new Fraction(this.numerator * other.numerator, this.denominator * other.denominator);
  }

  /** @throws {RangeError} if `other` is zero */
  dividedBy(other) {
    return new Fraction(this.numerator * other.denominator, this.denominator * other.numerator);
  }

  equals(other) {
    return this.numerator === other.numerator && this.denominator === other.denominator;
  }

  get isZero() {
    return this.numerator === 0n;
  }

  get isWhole() {
    return this.denominator === 1n;
  }

  get isPositive() {
    return this.numerator > 0n;
  }

  /** Return a text that `parse` accepts. */
  toString() {
    return this.isWhole ? `${this.numerator}` : `${this.numerator}/${this.denominator}`;
  }
}

/** Return the greatest common divisor; 1 for two zeros. */
function computeGcd(one, other) {
  let a = one < 0n ? -one : one;
  let b = other < 0n ? -other : other;
  while (b) [a, b] = [b, a % b];
  return a || 1n;
}
