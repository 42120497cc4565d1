import { decimalDollars } from '../../platform/money.ts'

/** Formats nano-dollars as exact text for people, with at least two decimals: `$12.50`, `-$0.000004`. */
export function dollarText(amountNanos: bigint | string): string {
  const amount = BigInt(amountNanos)
  const [whole = '', decimals = ''] = decimalDollars(amount < 0n ? -amount : amount).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${amount < 0n ? '-' : ''}$${grouped}.${decimals.padEnd(2, '0')}`
}
