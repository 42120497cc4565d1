import { setTimeout as sleep } from 'node:timers/promises'
import { updateKey } from '../../domain/keys/change-key.ts'
import { announceKeyChange } from '../../domain/keys/key-revision.ts'
import type { TestKey } from '../harness/an-account.ts'
import { ask } from './ask.ts'
import { attackBeside } from './attacker.ts'
import { checkLog } from './check-log.ts'
import { accountsOf, checkRound, type Verdict } from './check-round.ts'
import { type Customers, cheapest, openCustomers } from './customers.ts'
import type { Disaster } from './disasters.ts'
import { startLoad } from './load.ts'
import type { System } from './start-system.ts'

/** One disaster under load, and what held. */
export interface Round extends Verdict {
  name: string
}

/** Load before the disaster, and after it. */
const beforeMs = 1_500
const afterMs = 2_500

/** Holds of a dead process lapse after ten seconds; a task that lost its job gets one within a minute. */
const calmWithinMs = 90_000

/** Lets customers ask, lets the disaster happen, waits until all is calm, and compares what was seen with the books. */
export async function runRound(
  system: System,
  { disaster, costNanos, turn }: { disaster: Disaster; costNanos: bigint; turn: number },
): Promise<Round> {
  const customers = await openCustomers(system, costNanos)
  const attack = await attackBeside(system, turn)
  const load = startLoad(system, customers)
  await sleep(beforeMs)
  const [, revokedAt, loweredAt] = await Promise.all([
    disaster.happen(system),
    revoke(system, customers.revoked),
    lowerCap(system, customers.lowered),
  ])
  await sleep(afterMs)
  await Promise.all([load.stop(), attack.stop()])
  await untilCalm(system, customers)
  for (const customer of [customers.exact, customers.capped, customers.budgeted])
    load.seen.push(...(await spendAll(system, customer)))
  await untilCalm(system, customers)
  const verdict = await persist(() =>
    checkRound(system.context.sql, { customers, load, revokedAt, loweredAt }),
  )
  const breaks = [...verdict.breaks, ...(await persist(() => checkLog(system.context)))]
  return { name: disaster.name, ...verdict, breaks }
}

/** Revokes a key as `DELETE` does, as often as it takes; resolves to when that was confirmed. */
async function revoke({ context }: System, { accountId, keyId }: TestKey): Promise<number> {
  const [row] = await persist(
    () => context.sql<{ revision: bigint }[]>`
      update api_keys set revoked_at = now(), revision = revision + 1
      where account_id = ${accountId} and id = ${keyId} returning revision`,
  )
  await announceKeyChange(context, { accountId, keyId, revision: row!.revision })
  return performance.now()
}

/** Lowers a key's cap to nothing as `PUT` does, as often as it takes; resolves to when that was confirmed. */
async function lowerCap(system: System, { accountId, keyId }: TestKey): Promise<number> {
  await persist(() => updateKey(system.management(), { accountId, keyId, changes: { creditLimitNanos: 0n } }))
  return performance.now()
}

/** Waits until no money of these customers is in use; says nothing where that does not come, since the check will. */
async function untilCalm({ context }: System, customers: Customers): Promise<void> {
  const accountIds = accountsOf(customers)
  for (const startedAt = performance.now(); performance.now() - startedAt < calmWithinMs; await sleep(250)) {
    const inUse = await persist(
      () => context.sql`
        select 1 from holds where account_id = any(${accountIds}::uuid[]) and in_use_nanos > 0 limit 1`,
    )
    if (inUse.length === 0) return
  }
}

/** Sends requests until the balance is used up: released money must be available to the next request. */
async function spendAll({ edges }: System, { text, accountId }: TestKey) {
  const seen = []
  for (let refusals = 0, turn = 0; refusals < 3 && turn < 100; turn++) {
    const { url } = edges[turn % edges.length]!
    const one = await ask({ url, key: text, accountId, body: cheapest })
    seen.push(one)
    if (one.status === 402) refusals += 1
    if (one.end !== 'answered') await sleep(200)
  }
  return seen
}

/** Tries until the database answers, for half a minute. */
async function persist<Result>(work: () => PromiseLike<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 60) throw error
      await sleep(500)
    }
  }
}
