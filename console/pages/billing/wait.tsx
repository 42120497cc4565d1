import { useEffect } from 'react'
import { useQuery } from 'urql'
import { useRepeatedRead } from '../../graph/use-repeated-read.ts'
import { useBalance } from '../../shell/use-balance.ts'
import { useFormat, useText } from '../../text/language.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type TopUp, topUpDocument } from './documents.ts'
import { messages } from './messages.ts'

/** Interval at which a pending top-up is read, in milliseconds. No subscription reports a payment that fails. */
const intervalMs = 5_000

/** Waits for the top-up from whose payment page the user returned, and says what came of it. */
export function TopUpWait({
  id,
  isCancelled,
  onDone,
}: {
  id: string
  /** Whether the user left the payment page without paying. The top-up can still be paid. */
  isCancelled: boolean
  onDone(): void
}) {
  const text = useText(messages)
  const credits = useBalance()?.credits
  const query = useQuery({ query: topUpDocument, variables: { id }, requestPolicy: 'cache-and-network' })
  const [{ data, error }, read] = query
  const status = data?.topUp?.status
  const isNeeded = status !== 'COMPLETED' && !error
  useRepeatedRead(read, { intervalMs, isNeeded })
  // biome-ignore lint/correctness/useExhaustiveDependencies: other credits can be those of the payment
  useEffect(() => {
    if (isNeeded) read({ requestPolicy: 'network-only' })
  }, [credits, isNeeded, read])
  return (
    <Panel>
      <div role="status" className="flex flex-wrap items-center gap-4 p-5">
        {error?.graphQLErrors[0] ? (
          <p className="min-w-0 flex-1">{text.unknownTopUp}</p>
        ) : (
          <Loaded query={query} select={found => found.topUp} lines={2}>
            {topUp => <Outcome topUp={topUp} isCancelled={isCancelled} />}
          </Loaded>
        )}
        <Button onClick={onDone}>{text.dismiss}</Button>
      </div>
    </Panel>
  )
}

function Outcome({
  topUp: { amount, status, checkoutUrl, receiptUrl },
  isCancelled,
}: {
  topUp: TopUp
  isCancelled: boolean
}) {
  const text = useText(messages)
  const format = useFormat()
  const shown = format.money(amount)
  const outcomes = {
    PENDING: {
      title: isCancelled ? text.notPaid(shown) : text.awaiting(shown),
      note: isCancelled ? text.notPaidText : text.awaitingText,
      icon: 'billing',
      tone: 'text-muted',
    },
    COMPLETED: { title: text.arrived(shown), note: undefined, icon: 'check', tone: 'text-ok' },
    FAILED: { title: text.failed(shown), note: text.failedText, icon: 'warning', tone: 'text-danger' },
    EXPIRED: { title: text.expired(shown), note: text.failedText, icon: 'warning', tone: 'text-warn' },
  } as const
  const { title, note, icon, tone } = outcomes[status]
  return (
    <>
      <Icon name={icon} className={`size-5 ${tone}`} />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-semibold">{title}</p>
        {note && <p className="text-muted">{note}</p>}
      </div>
      {status === 'PENDING' && checkoutUrl !== null && (
        <a href={checkoutUrl} className={buttonClass('primary')}>
          {text.pay}
        </a>
      )}
      {status === 'COMPLETED' && receiptUrl !== null && (
        <a href={receiptUrl} className={buttonClass('secondary')} target="_blank" rel="noreferrer">
          {text.receipt}
        </a>
      )}
    </>
  )
}
