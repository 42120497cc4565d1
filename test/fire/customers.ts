import { createBudget } from '../../domain/budgets/change-budgets.ts'
import { createCredential } from '../../domain/byok/create-credential.ts'
import { aKeyWithCredits, anAccount, anApiKey, type TestKey } from '../harness/an-account.ts'
import { ask } from './ask.ts'
import type { System } from './start-system.ts'

/** Who asks during a round: accounts of their own, so that each charge has its owner. */
export interface Customers {
  rich: TestKey[]
  /** Has money for exactly `payable` requests of the cheapest kind. */
  exact: TestKey
  /** Has a key whose cap allows as many. */
  capped: TestKey
  /** Has a budget of its end users' requests that allows as many. */
  budgeted: TestKey
  /** Repeats each request under its Idempotency-Key until it is answered. */
  idempotent: TestKey
  /** Leaves early, and reads slowly. */
  rude: TestKey
  /** Brings a vendor that means harm. */
  byok: TestKey
  /** Has videos and images made. */
  maker: TestKey
  /** Has a key that is revoked during the round. */
  revoked: TestKey
  /** Has a key whose cap is lowered to nothing during the round. */
  lowered: TestKey
}

/** One word each way: every such request costs the same. */
export const cheapest = {
  model: 'vendor_a/atlas',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 1,
  user: 'ada',
}

/** How many of the cheapest requests money and cap allow. */
export const payable = 10n

const rich = 1_000_000_000_000n

/** Opens new ones. `costNanos` is what the cheapest request costs. */
export async function openCustomers(system: System, costNanos: bigint): Promise<Customers> {
  const { context } = system
  // A request is held at more than it costs: the last one needs that much, and one more never fits.
  const allowedNanos = (payable - 1n) * costNanos + (costNanos * 19n) / 10n
  const key = async (creditNanos: bigint, limitNanos?: bigint) => {
    const { accountId } = await anAccount(context, { creditNanos })
    return anApiKey(context, { accountId, ...(limitNanos !== undefined && { limitNanos }) })
  }
  const first = await key(rich)
  const others = [await anApiKey(context, first), await anApiKey(context, first)]
  const byok = await key(rich)
  await createCredential(system.management(), {
    accountId: byok.accountId,
    provider: 'vendor_a',
    settings: { label: 'hostile', apiKey: 'sk-hostile', baseUrl: system.hostileUrl, alwaysUse: true },
  })
  const budgeted = async () => {
    const made = await key(rich)
    const { accountId } = made
    const subject = { endUser: cheapest.user }
    const limit = { limitNanos: allowedNanos, action: 'refuse', resetInterval: 'none' } as const
    await createBudget(context, { accountId, subject, ...limit })
    return made
  }
  return {
    rich: [first, ...others],
    exact: await key(allowedNanos),
    capped: await key(rich, allowedNanos),
    budgeted: await budgeted(),
    idempotent: await key(rich),
    rude: await key(rich),
    byok,
    maker: await key(rich),
    revoked: await key(rich),
    lowered: await key(rich),
  }
}

/** The cost of the cheapest request in nano-dollars, measured with one request. Throws if it fails. */
export async function costOfCheapest({ context, edges }: System): Promise<bigint> {
  const { accountId, text } = await aKeyWithCredits(context, { creditNanos: rich })
  const seen = await ask({ url: edges[0].url, key: text, accountId, body: cheapest })
  const [row] = await context.sql<{ cost: bigint }[]>`
    select cost_nanos as cost from request_logs where account_id = ${accountId} and status = 200`
  if (!row || seen.end !== 'answered') throw new Error(`a first request was not answered: ${seen.code}`)
  return row.cost
}
