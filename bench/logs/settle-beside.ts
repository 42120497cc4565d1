import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { percentile } from '../measure/percentile.ts'
import type { Question } from './questions.ts'

const settlements = 400

/** How long settlements of one account take, in milliseconds. */
export interface SettlementTimes {
  medianMs: number
  p99Ms: number
}

/**
 * Settles requests of an account one after the other: first alone, then while another account repeats its queries on
 * another connection.
 */
export async function settleBeside(
  sql: Sql,
  questions: readonly Question[],
): Promise<{ alone: SettlementTimes; beside: SettlementTimes }> {
  const accountId = systemIds.uuid()
  const keyId = systemIds.uuid()
  const settle = async (): Promise<SettlementTimes> => {
    const timesMs: number[] = []
    for (let turn = 0; turn < settlements; turn++) {
      const startedAt = performance.now()
      await aSettledRequest(sql, { accountId, keyId, costNanos: 1_000n })
      timesMs.push(performance.now() - startedAt)
    }
    return { medianMs: percentile(timesMs, 0.5), p99Ms: percentile(timesMs, 0.99) }
  }
  await settle() // prepares
  const alone = await settle()
  let isOver = false
  const asking = (async () => {
    while (!isOver) for (const [, ask] of questions) if (!isOver) await ask()
  })()
  const beside = await settle()
  isOver = true
  await asking
  return { alone, beside }
}
