import type { Metrics, Report } from '../../platform/metrics/open-metrics.ts'
import { dollars } from '../../platform/money.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Rates } from '../rates/check-rate.ts'

/** Declares the metrics of the holds, the commit queue and the rates of a process. */
export function observeCommitter(metrics: Metrics, ledger: Ledger, rates: Rates): void {
  const gauge = (name: string, help: string, read: (report: Report) => void) =>
    metrics.read({ name, help, type: 'gauge' }, read)
  gauge('rubicon_holds', 'Holds of this process: one per active key and set of budgets.', report =>
    report(ledger.holds.size),
  )
  gauge('rubicon_held_dollars', 'US dollars in these holds.', report => {
    let heldNanos = 0n
    for (const { amountNanos } of ledger.holds.values()) heldNanos += amountNanos
    report(dollars(heldNanos))
  })
  gauge('rubicon_headroom_dollars', 'US dollars in these holds that no request has reserved.', report => {
    let freeNanos = 0n
    for (const { amountNanos, reservedNanos } of ledger.holds.values())
      if (amountNanos > reservedNanos) freeNanos += amountNanos - reservedNanos
    report(dollars(freeNanos))
  })
  gauge(
    'rubicon_short_accounts',
    'Accounts whose requests wait for money that other requests hold.',
    report => report(ledger.shortHolds.size),
  )
  gauge('rubicon_settlements_pending', 'Settled requests whose charge is not yet durable.', report =>
    report(ledger.settling.size),
  )
  metrics.read(
    {
      name: 'rubicon_oldest_settlement_seconds',
      help: 'Age of the oldest of these settlements. After 2 s, its client gets an error or is charged later.',
      type: 'gauge',
      aggregation: 'max',
    },
    report => {
      const [oldest] = ledger.settling
      report(oldest ? (ledger.context.clock.monotonic() - oldest.since) / 1000 : 0)
    },
  )
  metrics.read(
    {
      name: 'rubicon_local_rate_checks_total',
      help: 'Requests whose rates this process decided by itself because Redis did not answer in time.',
      type: 'counter',
    },
    report => report(rates.decidedLocally),
  )
}
