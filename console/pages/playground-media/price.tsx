import { useEffect, useMemo, useState } from 'react'
import { useQuery } from 'urql'
import { graphql } from '../../graph/documents.ts'
import type { Model } from '../../inference/models.ts'
import { useText } from '../../text/language.ts'
import { Money } from '../../ui/values.tsx'
import { messages } from './messages.ts'

const quoteDocument = graphql(`
  query PlaygroundPrice($input: PriceQuoteInput!) { priceQuote(input: $input) { cost } }
`)

/** Time without a change of the form after which its price is read, in milliseconds. */
const settledMs = 300

/** The price of the request as the form is, before it is sent. It depends on some of the parameters only. */
export function Price({ model, parameters }: { model: Model; parameters: Record<string, unknown> }) {
  const text = useText(messages)
  const priced = model.pricing?.pricedParameters ?? []
  const given = JSON.stringify(
    Object.fromEntries(Object.entries(parameters).filter(([name]) => priced.includes(name))),
  )
  const settled = useSettled(given)
  const input = useMemo(
    () => ({ model: model.inferenceId, parameters: JSON.parse(settled) as unknown }),
    [model.inferenceId, settled],
  )
  const [{ data, error }] = useQuery({ query: quoteDocument, variables: { input } })
  const cost = error ? undefined : data?.priceQuote?.cost
  return (
    <p aria-live="polite" className="flex items-baseline justify-between gap-3 border-t border-line pt-4">
      <span className="text-muted">{text.price}</span>
      {cost === undefined ? (
        <span className="text-right text-sm text-muted">{text.priceLater}</span>
      ) : (
        <span className="text-lg font-semibold">
          <Money amount={cost} />
        </span>
      )}
    </p>
  )
}

/** Returns a value once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}
