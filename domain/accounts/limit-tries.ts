import { networkOf } from '../../platform/http/network-of.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { isKnownNetwork } from './known-networks.ts'
import { countTry, type TryCounter, type TryLimit } from './try-counter.ts'

/** What sign-up and log-in need beyond the records. */
export interface AccountsContext extends ManagementContext {
  tries: TryCounter
}

/** How long failed tries count. */
export const triesWindowSeconds = 15 * 60

/** An e-mail over all addresses, and an address over all e-mails, have so many times the tries of one pair. */
const widening = 10

/**
 * Runs a try to log in, counted before it runs, so that tries sent at once count each. A pair of e-mail and address
 * has `loginTries` failures; wider limits keep many addresses from guessing at one e-mail, and one address from
 * guessing at many, without shutting out whoever shares either. What strangers guess at an e-mail slows those who
 * come from where its owner never was: his own networks keep to their pair. A success clears its pair.
 * Throws `too_many_tries` when a limit is used up; such a try counts against none.
 */
export async function limitTries<Result>(
  context: AccountsContext,
  who: { email: string; address: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { tries } = context
  const limits = limitsOf(context, who)
  const forgive = () => Promise.all(limits.map(({ name }) => tries.forgive(name)))
  await countAll(context, limits)
  try {
    const result = await attempt()
    await forgive()
    await tries.forget(limits[0].name)
    return result
  } catch (error) {
    if (!(error instanceof Problem)) await forgive() // our own fault is nobody's try
    throw error
  }
}

interface Limit extends TryLimit {
  /** Who is let through where it is used up. */
  except?: () => Promise<boolean>
}

/** The pair first: what it refuses is not held against the rest. */
function limitsOf(
  context: AccountsContext,
  who: { email: string; address: string },
): readonly [Limit, ...Limit[]] {
  const network = networkOf(who.address)
  const most = context.config.loginTries
  return [
    { name: `pair:${network} ${who.email}`, most },
    { name: `address:${network}`, most: most * widening },
    { name: `email:${who.email}`, most: most * widening, except: () => isKnownNetwork(context, who) },
  ]
}

/** Counts a try against each limit in turn, until one is used up. */
async function countAll({ tries }: AccountsContext, limits: readonly Limit[]): Promise<void> {
  for (const [index, limit] of limits.entries()) {
    try {
      await countTry(tries, limit)
    } catch (error) {
      if (error instanceof Problem && (await limit.except?.())) continue
      await Promise.all(limits.slice(0, index + 1).map(({ name }) => tries.forgive(name)))
      throw error
    }
  }
}

/**
 * Runs a sign-up, counted before it runs: an address opens `signUps` accounts in the window of tries, whatever became
 * of those before. Throws `too_many_tries` when they are used up.
 */
export async function limitSignUps<Result>(
  { tries, config }: AccountsContext,
  address: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const name = `sign-up:${networkOf(address)}`
  await countTry(tries, { name, most: config.signUps })
  try {
    return await attempt()
  } catch (error) {
    if (!(error instanceof Problem)) await tries.forgive(name) // our own fault is nobody's try
    throw error
  }
}
