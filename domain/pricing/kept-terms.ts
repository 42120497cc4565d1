import { capTerm, type ExplainedTerm } from './calculate-price.ts'
import { printDollars } from './parse-price.ts'

/** A term of a price for display: amounts are exact decimal dollars, as text. */
export interface PresentedTerm {
  label: string
  quantity: number
  unit: string
  rate: string
  amount: string
}

/**
 * Returns the terms of a price in the format of the request log, `input:12:token:2500000000000;…`: label, quantity,
 * unit and the price of one in atto-dollars. Every charged request has terms, but few are ever read, so dollars are
 * formatted when they are read.
 */
export function keepTerms(terms: readonly ExplainedTerm[]): string {
  let kept = ''
  for (const { label, quantity, unit, attosPerUnit } of terms)
    kept += `${kept && ';'}${reserved.test(label) ? encodeURIComponent(label) : label}:${quantity}:${unit}:${attosPerUnit}`
  return kept
}

/** Adds the term of an amount that is not charged, which is negative, to terms in the format of the request log. */
export function keepCap(kept: string, excessNanos: bigint): string {
  return `${kept && `${kept};`}${keepTerms([capTerm(excessNanos)])}`
}

/** Characters that a label of the catalogue must not contain unescaped. */
const reserved = /[:;%]/

/** Parses the text that `keepTerms` wrote. Returns null if the request has no terms. */
export function readTerms(kept: string | null): PresentedTerm[] | null {
  if (kept === null) return null
  return kept === '' ? [] : kept.split(';').map(readTerm)
}

function readTerm(kept: string): PresentedTerm {
  const [label = '', quantity = '', unit = '', attos = ''] = kept.split(':')
  const attosPerUnit = BigInt(attos)
  return {
    label: decodeURIComponent(label),
    quantity: Number(quantity),
    unit,
    rate: printDollars(attosPerUnit),
    amount: printDollars(BigInt(quantity) * attosPerUnit),
  }
}
