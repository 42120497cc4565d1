const nanoDigits = 9

/** Returns the exact sum of amounts of at most nine decimal places, as decimal text. */
export function sumMoney(amounts: readonly string[]): string {
  return decimalOf(amounts.reduce((sum, amount) => sum + nanosOf(amount), 0n))
}

/** Returns an amount of at most nine decimal places times a whole number, exactly. */
export function timesMoney(amount: string, times: bigint): string {
  return decimalOf(nanosOf(amount) * times)
}

/** Returns the share of an amount in another, between 0 and 1. */
export function shareOf(amount: string, whole: string): number {
  const all = Number(whole)
  return all <= 0 ? 1 : Math.min(1, Math.max(0, Number(amount) / all))
}

function nanosOf(amount: string): bigint {
  const [, sign = '', whole = '0', places = ''] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(amount) ?? []
  const nanos = BigInt(whole + places.padEnd(nanoDigits, '0'))
  return sign === '-' ? -nanos : nanos
}

function decimalOf(nanos: bigint): string {
  const size = String(nanos < 0n ? -nanos : nanos).padStart(nanoDigits + 1, '0')
  const places = size.slice(-nanoDigits).replace(/0+$/, '')
  return `${nanos < 0n ? '-' : ''}${size.slice(0, -nanoDigits)}${places && `.${places}`}`
}
