import { systemIds } from '../../platform/ids.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { latencies } from '../measure/statistics.ts'
import type { Question } from './questions.ts'

const settlements = 400

/**
 * Settles requests of an account one after the other: first alone, then while another account repeats its queries on
 * another connection. Resolves to the latencies of both.
 */
export async function settleBeside(sql: Sql, questions: readonly Question[]) {
  const account = { accountId: systemIds.uuid(), keyId: systemIds.uuid() }
  const settle = async () => {
    const durationsMs: number[] = []
    while (durationsMs.length < settlements) {
      const startedAt = performance.now()
      await aSettledRequest(sql, { ...account, costNanos: 1_000n })
      durationsMs.push(performance.now() - startedAt)
    }
    return latencies(durationsMs)
  }
  await settle() // Postgres prepares its plans
  const alone = await settle()
  let isOver = false
  const repeatQuestions = async () => {
    while (!isOver) for (const [, ask] of questions) if (!isOver) await ask()
  }
  const repeated = repeatQuestions()
  const beside = await settle()
  isOver = true
  await repeated
  return { alone, beside }
}
