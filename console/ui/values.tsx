import type { ReactNode } from 'react'
import { shareOf } from '../text/decimal.ts'
import { useFormat, useText } from '../text/language.ts'
import { messages } from './messages.ts'

/** A time in the reader's zone, with UTC on hover. */
export function Time({ value }: { value: string }) {
  const format = useFormat()
  return (
    <time dateTime={value} title={format.utc(value)} className="whitespace-nowrap">
      {format.dateTime(value)}
    </time>
  )
}

/** An exact amount in US dollars. With `isRounded`, cents are shown and the exact amount appears on hover. */
export function Money({ amount, isRounded = false }: { amount: string; isRounded?: boolean }) {
  const format = useFormat()
  const exact = format.money(amount)
  return isRounded ? <span title={exact}>{format.roundMoney(amount)}</span> : <span>{exact}</span>
}

/** The spent amount, and its share of the limit as a bar. `label` names the bar. */
export function SpentOfLimit({ spent, limit, label }: { spent: string; limit: string; label: string }) {
  const text = useText(messages)
  const format = useFormat()
  const share = shareOf(spent, limit)
  return (
    <span className="inline-flex flex-col items-end gap-1">
      <span className="whitespace-nowrap">
        <Money amount={spent} isRounded />{' '}
        <span className="text-muted">{text.ofLimit(format.roundMoney(limit))}</span>
      </span>
      <progress
        aria-label={label}
        max={1}
        value={share}
        className={`h-1 w-24 overflow-hidden rounded-full ${share >= 0.9 ? 'text-danger' : 'text-accent-fill'} meter`}
      />
    </span>
  )
}

/** The name and the value of a detail. Details without a value are not shown. */
export type DetailRow = readonly [name: string, value: ReactNode]

/** The details of a record, one line each. */
export function Details({ rows }: { rows: readonly DetailRow[] }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-words">{value}</dd>
          </div>
        ))}
    </dl>
  )
}
