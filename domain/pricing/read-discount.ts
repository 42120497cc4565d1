/** The percentage that is taken off a list price: 15n for `15 %`, 0n where there is none. */
export function readDiscount(text: string | undefined): bigint {
  if (text === undefined) return 0n
  const [, percent] = /^([1-9][0-9]?) %$/.exec(text) ?? []
  if (percent === undefined) throw new Error(`"${text}" is not a discount: write it like 15 %`)
  return BigInt(percent)
}
