import { setTimeout as sleep } from 'node:timers/promises'
import { readTree } from '../../bench/measure/process-tree.ts'
import { aKeyWithCredits, type TestKey } from '../harness/an-account.ts'
import { ask } from './ask.ts'
import { cheapest } from './customers.ts'
import { type Disaster, stoppedPids } from './disasters.ts'
import type { Edge, System } from './start-system.ts'

/** Failures of PostgreSQL with a synchronous standby. */
export const standbyDisasters: readonly Disaster[] = [
  { name: 'a standby of PostgreSQL is promoted', happen: promoteStandby },
  {
    name: 'the synchronous standby of PostgreSQL hangs for 4 s',
    happen: ({ postgres }) =>
      postgres.withStandby(({ pid }) =>
        stoppedPids(
          readTree(pid).map(child => child.pid),
          4,
        ),
      ),
  },
]

/** Maximum time from the promotion to the next answer of each edge, in milliseconds (docs/operations.md, Standby). */
const maxOutageMs = 5_000

/** Throws if an edge answers too late. */
async function promoteStandby({ postgres, edges, context }: System): Promise<void> {
  const key = await aKeyWithCredits(context, { creditNanos: 1_000_000_000n })
  await postgres.failOver()
  const promotedAt = performance.now()
  await Promise.all(edges.map(edge => untilAnswered(edge, key)))
  const outageMs = Math.round(performance.now() - promotedAt)
  process.stderr.write(`  both edges answered ${outageMs} ms after the promotion\n`)
  if (outageMs > maxOutageMs)
    throw new Error(
      `the edges answered ${outageMs} ms after the promotion, which is more than ${maxOutageMs} ms`,
    )
}

async function untilAnswered({ url }: Edge, { text, accountId }: TestKey): Promise<void> {
  while ((await ask({ url, key: text, accountId, body: cheapest })).end !== 'answered') await sleep(20)
}
