import type { ExplainedTerm } from './add-up.ts'
import { printDollars } from './parse-price.ts'

/** A term as it is stored and shown: amounts are exact decimal dollars, written as text. */
export interface PresentedTerm {
  label: string
  quantity: number
  unit: string
  rate: string
  amount: string
}

/** Presents the terms of a price as plain JSON, for the request log. */
export function presentTerms(terms: readonly ExplainedTerm[]): PresentedTerm[] {
  return terms.map(({ label, quantity, unit, attosPerUnit, amountAttos }) => ({
    label,
    quantity,
    unit,
    rate: printDollars(attosPerUnit),
    amount: printDollars(amountAttos),
  }))
}
