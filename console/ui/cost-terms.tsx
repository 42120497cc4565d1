import { useFormat, useText } from '../text/language.ts'
import { priceNames } from '../text/price-names.ts'
import { messages } from './messages.ts'
import { Money } from './values.tsx'

/** An item of a price: quantity times rate. */
export interface CostTerm {
  label: string
  quantity: number
  unit: string
  rate: string
  amount: string
}

/** The items of a price, and their sum. */
export function CostTerms({
  caption,
  terms,
  sum,
  sumLabel,
}: {
  /** Describes the table for screen readers. */
  caption: string
  terms: readonly CostTerm[]
  sum: string
  sumLabel: string
}) {
  const text = useText(messages)
  const names = useText(priceNames)
  const format = useFormat()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full">
        <thead>
          <tr className="border-b border-line text-sm text-muted">
            <th scope="col" className="px-3 py-2 text-left font-medium">
              {text.item}
            </th>
            <th scope="col" className="px-3 py-2 text-right font-medium">
              {text.quantity}
            </th>
            <th scope="col" className="px-3 py-2 text-right font-medium">
              {text.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {terms.map(term => (
            <tr key={`${term.label} ${term.unit} ${term.rate}`} className="border-b border-line">
              <th scope="row" className="px-3 py-2 text-left font-normal">
                {names.items[term.label] ?? term.label}
              </th>
              <td className="px-3 py-2 text-right">
                {names.quantity(format.number(term.quantity), term.unit, term.quantity === 1)} ×{' '}
                {format.money(term.rate)}
              </td>
              <td className="px-3 py-2 text-right">{format.money(term.amount)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" colSpan={2} className="px-3 py-2 text-left">
              {sumLabel}
            </th>
            <td className="px-3 py-2 text-right">
              <Money amount={sum} />
            </td>
          </tr>
        </tfoot>
      </table>
    </section>
  )
}
