/**
 * Money is an integer of nano-dollars (1e-9 USD), a `bigint`, so that it cannot be mixed with floats by accident.
 * Dollars exist only in requests and responses, as JSON numbers in REST and as decimal text in the graph. This file
 * converts them.
 */
export const NANOS_PER_DOLLAR = 1_000_000_000n
export const NANOS_PER_CENT = NANOS_PER_DOLLAR / 100n

/** Converts nano-dollars to Stripe's unit, whole cents. The remainder is dropped. */
export function cents(amountNanos: bigint): number {
  return Number(amountNanos / NANOS_PER_CENT)
}

/** Converts nano-dollars to the nearest JSON number of dollars. */
export function dollars(amountNanos: bigint): number {
  return Number(amountNanos) / 1e9
}

/**
 * Converts a JSON number of dollars to nano-dollars by its decimal digits, so that 0.1 is exactly 100,000,000. Returns
 * undefined if the number is not finite or has more than nine decimals.
 */
export function nanos(amountDollars: number): bigint | undefined {
  if (!Number.isFinite(amountDollars) || Math.abs(amountDollars) >= 1e15) return undefined
  const [mantissa = '0', exponent = '0'] = String(amountDollars).split('e')
  const [whole = '0', fraction = ''] = mantissa.replace('-', '').split('.')
  const scale = 9 + Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  if (scale < 0) {
    const divisor = 10n ** BigInt(-scale)
    if (digits % divisor !== 0n) return undefined
    return signed(digits / divisor, amountDollars)
  }
  return signed(digits * 10n ** BigInt(scale), amountDollars)
}

function signed(amount: bigint, like: number): bigint {
  return like < 0 ? -amount : amount
}

/** Converts nano-dollars to the shortest exact decimal text of dollars: `12.5`, `-0.000000001`. */
export function decimalDollars(amountNanos: bigint): string {
  return decimalText(amountNanos, 9)
}

/** Prints a whole number of units of `10 ** -places` as the shortest exact decimal text. */
export function decimalText(units: bigint, places: number): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const point = digits.length - places
  let end = digits.length
  while (end > point && digits[end - 1] === '0') end--
  const fraction = end > point ? `.${digits.slice(point, end)}` : ''
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${fraction}`
}

/**
 * Converts decimal text of dollars to nano-dollars. Returns undefined for other text, and for more than nine decimals.
 */
export function nanosOfDecimal(text: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d{1,9}))?$/.exec(text) ?? []
  if (whole === undefined) return undefined
  const amountNanos = BigInt(whole) * NANOS_PER_DOLLAR + BigInt(fraction.padEnd(9, '0'))
  return sign === '-' ? -amountNanos : amountNanos
}
