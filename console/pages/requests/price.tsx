import { useText } from '../../text/language.ts'
import { CostTerms } from '../../ui/cost-terms.tsx'
import type { RequestDetail } from './documents.ts'
import { messages } from './messages.ts'

/** The price of a request: each item with its quantity, rate and amount, and the sum that was charged. */
export function Price({ request: { cost, costTerms, usageEstimated } }: { request: RequestDetail }) {
  const text = useText(messages)
  if (Number(cost) === 0 && (costTerms ?? []).length === 0) return <p className="text-muted">{text.free}</p>
  return (
    <>
      {usageEstimated && <p className="text-sm text-warn">{text.estimated}</p>}
      {!costTerms && <p className="text-sm text-muted">{text.unpriced}</p>}
      <CostTerms caption={text.price} terms={costTerms ?? []} sum={cost} sumLabel={text.total} />
    </>
  )
}
