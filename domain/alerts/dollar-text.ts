import { decimalDollars } from '../../platform/money.ts'

/** Nano-dollars for people, exact, with two decimals or as many as it takes: `$12.50`, `-$0.000004`. */
export function dollarText(amountNanos: bigint | string): string {
  const amount = BigInt(amountNanos)
  const [whole = '', decimals = ''] = decimalDollars(amount < 0n ? -amount : amount).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return `${amount < 0n ? '-' : ''}$${grouped}.${decimals.padEnd(2, '0')}`
}
