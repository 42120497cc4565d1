import { ATTOS_PER_NANO, type Unit } from './parse-price.ts'

/** One term of a price: the counted item, its quantity and the price of one. */
export interface PriceTerm<Request> {
  label: string
  unit: Unit
  attosPerUnit: bigint
  /** The quantity: a whole number, zero or more. */
  quantity(request: Request): number
}

/** All terms of a request's price. */
export interface Bill<Request> {
  terms: readonly PriceTerm<Request>[]
  /** The service tier, whose percentage applies to the sum of the terms; undefined for the standard tier. */
  tier?: Tier | undefined
  /** The discount in percent, deducted from the sum of the terms in the tier. */
  discountPercent: bigint
  /** The period whose rates apply, as text; undefined if they always apply. */
  period?: string | undefined
}

/** A service tier other than the standard one. */
export interface Tier {
  name: string
  /** The price in percent of the standard tier's. */
  percent: bigint
}

/** One term of an explained price: `amountAttos` is `quantity` times `attosPerUnit`. */
export interface ExplainedTerm {
  label: string
  quantity: number
  unit: Unit | 'percent' | 'rounding' | 'cap' | 'period'
  attosPerUnit: bigint
  amountAttos: bigint
}

/** A price with its terms. */
export interface Explanation {
  /** The price in nano-dollars. It equals the sum of the terms exactly. */
  amountNanos: bigint
  /**
   * The terms, without terms of quantity zero. The discount and the rounding are terms too. If the rates depend on the
   * time, the first term names their period and has an amount of zero.
   */
  terms: ExplainedTerm[]
}

/** Calculates the price of a request in nano-dollars. It is rounded up once, at the end. */
export function calculatePrice<Request>(bill: Bill<Request>, request: Request): bigint {
  return roundUp(charged(sumOf(bill.terms, request), bill))
}

/** Calculates the same price with its terms. */
export function explain<Request>(bill: Bill<Request>, request: Request): Explanation {
  const terms: ExplainedTerm[] = bill.period === undefined ? [] : [termOf(bill.period, 1, 'period', 0n)]
  let listAttos = 0n
  for (const { label, quantity, unit, attosPerUnit } of bill.terms) {
    const count = quantity(request)
    if (count <= 0) continue
    const counted = termOf(label, count, unit, attosPerUnit)
    listAttos += counted.amountAttos
    terms.push(counted)
  }
  const chargedAttos = charged(listAttos, bill)
  const amountNanos = roundUp(chargedAttos)
  const roundingAttos = amountNanos * ATTOS_PER_NANO - chargedAttos
  const { tier, discountPercent } = bill
  if (tier && listAttos > 0n) {
    const isMoreExpensive = tier.percent >= 100n
    const percent = Number(isMoreExpensive ? tier.percent - 100n : 100n - tier.percent)
    const onePercent = listAttos / 100n
    terms.push(
      termOf(`service tier ${tier.name}`, percent, 'percent', isMoreExpensive ? onePercent : -onePercent),
    )
  }
  const tierAttos = inTier(listAttos, tier)
  if (tierAttos > chargedAttos) {
    terms.push(termOf('discount', Number(discountPercent), 'percent', -tierAttos / 100n))
  }
  if (roundingAttos > 0n) terms.push(termOf('rounded up', 1, 'rounding', roundingAttos))
  return { amountNanos, terms }
}

/** Limits a price to `maxNanos`. The amount that is not charged becomes a negative term. */
export function capped({ amountNanos, terms }: Explanation, maxNanos: bigint): Explanation {
  if (amountNanos <= maxNanos) return { amountNanos, terms }
  return { amountNanos: maxNanos, terms: [...terms, capTerm(maxNanos - amountNanos)] }
}

/** Returns the term of an amount that is not charged, which is negative. */
export function capTerm(excessNanos: bigint): ExplainedTerm {
  return termOf('beyond what was held', 1, 'cap', excessNanos * ATTOS_PER_NANO)
}

/** Returns the highest list price, in atto-dollars, that is within the budget in the tier and after the discount. */
export function listWithin(
  budgetNanos: bigint,
  { tier, discountPercent }: Pick<Bill<never>, 'tier' | 'discountPercent'>,
): bigint {
  return (budgetNanos * ATTOS_PER_NANO * 10_000n) / ((tier?.percent ?? 100n) * (100n - discountPercent))
}

/** Returns the list price of a request in atto-dollars: the sum of all terms, not rounded. */
export function sumOf<Request>(terms: readonly PriceTerm<Request>[], request: Request): bigint {
  let sum = 0n
  for (const term of terms) {
    const quantity = term.quantity(request)
    if (quantity > 0) sum += BigInt(quantity) * term.attosPerUnit
  }
  return sum
}

/**
 * Returns a list price in its tier and after the discount. The result is exact, because every list price is a multiple
 * of 1,000 attos, and of 10,000 if there are both (`domain/models/checks/check-service-tiers.ts`).
 */
function charged(
  listAttos: bigint,
  { tier, discountPercent }: Pick<Bill<never>, 'tier' | 'discountPercent'>,
): bigint {
  const tierAttos = inTier(listAttos, tier)
  return discountPercent === 0n ? tierAttos : (tierAttos / 100n) * (100n - discountPercent)
}

function inTier(listAttos: bigint, tier: Tier | undefined): bigint {
  return tier ? (listAttos / 100n) * tier.percent : listAttos
}

function roundUp(amountAttos: bigint): bigint {
  return (amountAttos + ATTOS_PER_NANO - 1n) / ATTOS_PER_NANO
}

function termOf(
  label: string,
  quantity: number,
  unit: ExplainedTerm['unit'],
  attosPerUnit: bigint,
): ExplainedTerm {
  return { label, quantity, unit, attosPerUnit, amountAttos: BigInt(quantity) * attosPerUnit }
}
