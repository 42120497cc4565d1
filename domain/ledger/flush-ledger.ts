import { setTimeout as sleep } from 'node:timers/promises'
import { isOfOneRow, isPassing } from '../../platform/postgres/passing-errors.ts'
import { type Column, rowsText } from '../../platform/postgres/row-text.ts'
import type { Grant } from './grow-hold.ts'
import type { Lane, SettledOutcome } from './lane.ts'

/** The rows of one statement. */
export interface Batch {
  charges: { requestId: string; row: Column[] }[]
  targets: Column[][]
  asks: Column[][]
}

export interface BatchAnswer {
  outcomes: Record<string, SettledOutcome> | null
  grants: Record<string, Grant> | null
}

/**
 * Sends a batch as one statement. One that fails in passing is sent again as it was, until it commits: charges are
 * unique on their request and targets state amounts, so nothing is done twice. Where one row is at fault, it is
 * found by halves and left out; it is missing in the outcomes. Undefined when Postgres refuses the batch for good.
 */
export async function sendBatch(lane: Lane, batch: Batch): Promise<BatchAnswer | undefined> {
  if (batch.charges.length + batch.targets.length === 0) return { outcomes: null, grants: null }
  for (let attempt = 0; ; attempt++) {
    try {
      const [answer] = await lane.line.run(
        sql => sql<BatchAnswer[]>`
        select outcomes, grants from flush_ledger(${rowsText(batch.charges.map(({ row }) => row))}::text::charge[],
          ${rowsText(batch.targets)}::text::hold_target[], ${rowsText(batch.asks)}::text::hold_ask[])`,
      )
      return answer
    } catch (error) {
      if (isOfOneRow(error) && batch.charges.length > 0) return sendHalves(lane, batch, error)
      if (!isPassing(error)) {
        lane.log.error(
          { err: error, requests: batch.charges.map(charge => charge.requestId) },
          'ledger statement refused',
        )
        return undefined
      }
      lane.log.warn({ err: error, attempt, requests: batch.charges.length }, 'ledger statement is sent again')
      await sleep(Math.min(20 * 2 ** attempt, 500) * (0.5 + Math.random() / 2))
    }
  }
}

/** Each half carries all targets, which state amounts; growth goes with the last one. */
async function sendHalves(lane: Lane, batch: Batch, error: unknown): Promise<BatchAnswer | undefined> {
  const { charges, targets, asks } = batch
  if (charges.length === 1) {
    lane.log.error({ err: error, requests: [charges[0]?.requestId] }, 'settlement refused')
    return sendBatch(lane, { charges: [], targets, asks })
  }
  const middle = charges.length >> 1
  const first = await sendBatch(lane, { charges: charges.slice(0, middle), targets, asks: [] })
  const second = await sendBatch(lane, { charges: charges.slice(middle), targets, asks })
  return { outcomes: { ...first?.outcomes, ...second?.outcomes }, grants: second?.grants ?? null }
}
