import { networkOf, widestNetworkOf } from '../../platform/http/addresses.ts'
import type { UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { isKnownNetwork } from './known-networks.ts'
import type { Passwords } from './passwords.ts'
import { countTry, type TryCounter, type TryLimit } from './try-counter.ts'

/** What sign-up and log-in need. */
export interface AccountsContext extends ManagementContext {
  tries: TryCounter
  passwords: Passwords
}

/** How long failed tries count, in seconds. */
export const triesWindowSeconds = 15 * 60

/**
 * An e-mail over all addresses, and an address over all e-mails, have this many times the tries of a pair.
 */
const widerBy = 10

/**
 * Runs a try to log in, and counts it before it runs, so that tries sent at once are all counted. A pair of
 * e-mail and address has `loginTries` failures. Ten times as many are allowed per e-mail and per address,
 * which stops many addresses from guessing one password, and one address from guessing many. So that guesses
 * lock no owner out, the limit of an e-mail does not apply in networks that its owner logged in from. A
 * success clears its pair if the person has confirmed the e-mail: a stranger who signs up with the e-mail
 * gets no more guesses. Throws `too_many_tries` when a limit is used up; such a try is counted against none.
 */
export async function limitTries<Result extends Pick<UserRow, 'emailConfirmedAt'>>(
  context: AccountsContext,
  who: { email: string; address: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { tries } = context
  const limits = limitsOf(context, who)
  const takeBack = () => Promise.all(limits.map(({ name }) => tries.takeBack(name)))
  await countAll(context, limits)
  try {
    const result = await attempt()
    await takeBack()
    if (result.emailConfirmedAt) await tries.clear(limits[0].name)
    return result
  } catch (error) {
    if (!isFailedTry(error)) await takeBack()
    throw error
  }
}

interface Limit extends TryLimit {
  /** Whether the try is let through although the limit is used up. */
  except?: () => Promise<boolean>
}

/** The pair comes first: a try that it refuses is not counted against the others. */
function limitsOf(
  context: AccountsContext,
  who: { email: string; address: string },
): readonly [Limit, ...Limit[]] {
  const network = networkOf(who.address)
  const max = context.config.loginTries
  return [
    { name: `pair:${network} ${who.email}`, max },
    { name: `address:${network}`, max: max * widerBy },
    { name: `email:${who.email}`, max: max * widerBy, except: () => isKnownNetwork(context, who) },
  ]
}

/** Counts a try against each limit in turn, until one is used up. */
async function countAll({ tries }: AccountsContext, limits: readonly Limit[]): Promise<void> {
  for (const [index, limit] of limits.entries()) {
    try {
      await countTry(tries, limit)
    } catch (error) {
      if (error instanceof Problem && (await limit.except?.())) continue
      await Promise.all(limits.slice(0, index + 1).map(({ name }) => tries.takeBack(name)))
      throw error
    }
  }
}

/**
 * Runs a sign-up, and counts it before it runs: an IPv4 address, or the /48 of an IPv6
 * address, may try `signUps` of them per window of tries, whether they succeed or not. Throws `too_many_tries` when they are used up.
 */
export async function limitSignUps<Result>(
  { tries, config }: AccountsContext,
  address: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const name = `sign-up:${widestNetworkOf(address)}`
  await countTry(tries, { name, max: config.signUps })
  try {
    return await attempt()
  } catch (error) {
    if (!isFailedTry(error)) await tries.takeBack(name)
    throw error
  }
}

/** Whether a try failed by the client's fault. It did not if we failed, or were too busy to look. */
function isFailedTry(error: unknown): boolean {
  return error instanceof Problem && error.status < 429
}
