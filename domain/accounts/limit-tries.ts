import { networkOf, widestNetworkOf } from '../../platform/http/addresses.ts'
import type { UserRow } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { ManagementContext } from '../context.ts'
import { isKnownNetwork } from './known-networks.ts'
import type { Passwords } from './passwords.ts'
import { countTry, type TryCounter, type TryLimit } from './try-counter.ts'

/** The context for sign-up and log-in. */
export interface AccountsContext extends ManagementContext {
  tries: TryCounter
  passwords: Passwords
}

/** The time for which failed tries count, in seconds. */
export const triesWindowSeconds = 15 * 60

/**
 * Factor by which the limits of an e-mail address alone, and of an IP address alone, exceed the limit of a pair of
 * both.
 */
const widerBy = 10

/**
 * Runs an attempt to log in. The attempt is counted before it runs, so that concurrent attempts all count. A pair of
 * e-mail address and IP address can fail `loginTries` times. The limits of an e-mail address alone, and of an IP
 * address alone, are ten times that. This stops many IP addresses from guessing one password, and one IP address from
 * guessing many. The limit of an e-mail address does not apply in networks from which its owner has logged in before,
 * so that guesses do not lock the owner out. A success clears the count of its pair if the user has confirmed the
 * e-mail address. Otherwise a stranger could sign up with the address to get more guesses. Throws `too_many_tries` if a
 * limit is used up. A refused attempt does not count.
 */
export async function limitTries<Result extends Pick<UserRow, 'emailConfirmedAt'>>(
  context: AccountsContext,
  who: { email: string; address: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  return runLimited(context, limitsOf(context, who), async () => {
    const result = await attempt()
    return { result, isTrusted: result.emailConfirmedAt !== null }
  })
}

/**
 * Runs an attempt to prove a second factor, in the same way. A code has few digits, so a user has the same limit from all
 * networks together as from one network. The limit of a user does not apply in networks from which the user has logged
 * in before. Throws `too_many_tries`.
 */
export async function limitFactorTries<Result>(
  context: AccountsContext,
  who: { userId: string; email: string; address: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const network = networkOf(who.address)
  const max = context.config.loginTries
  const limits: Limits = [
    { name: `factor-pair:${network} ${who.userId}`, max },
    { name: `factor-address:${network}`, max: max * widerBy },
    { name: `factor-user:${who.userId}`, max, except: () => isKnownNetwork(context, who) },
  ]
  return runLimited(context, limits, async () => ({ result: await attempt(), isTrusted: true }))
}

/** Runs an attempt and counts it. A trusted success clears the count of the first limit. */
async function runLimited<Result>(
  context: AccountsContext,
  limits: Limits,
  attempt: () => Promise<{ result: Result; isTrusted: boolean }>,
): Promise<Result> {
  const { tries } = context
  const takeBack = () => Promise.all(limits.map(({ name }) => tries.takeBack(name)))
  await countAll(context, limits)
  try {
    const { result, isTrusted } = await attempt()
    await takeBack()
    if (isTrusted) await tries.clear(limits[0].name)
    return result
  } catch (error) {
    if (!isFailedTry(error)) await takeBack()
    throw error
  }
}

/** The limits of an attempt. The first one limits the pair of user and network. */
type Limits = readonly [Limit, ...Limit[]]

interface Limit extends TryLimit {
  /** Whether the attempt may run although the limit is used up. */
  except?: () => Promise<boolean>
}

/**
 * The limits in the order in which they are checked. An attempt that the pair's limit refuses does not count against
 * the others.
 */
function limitsOf(context: AccountsContext, who: { email: string; address: string }): Limits {
  const network = networkOf(who.address)
  const max = context.config.loginTries
  return [
    { name: `pair:${network} ${who.email}`, max },
    { name: `address:${network}`, max: max * widerBy },
    { name: `email:${who.email}`, max: max * widerBy, except: () => isKnownNetwork(context, who) },
  ]
}

/** Counts an attempt against each limit in turn, until one is used up. */
async function countAll({ tries }: AccountsContext, limits: Limits): Promise<void> {
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
 * Runs a sign-up. It is counted before it runs. An IPv4 address, or the /48 network of an IPv6 address, can sign up
 * `signUps` times per window, including failed sign-ups. Throws `too_many_tries` beyond that.
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

/** Whether an attempt failed because of the client. Server errors and overload do not count. */
function isFailedTry(error: unknown): boolean {
  return error instanceof Problem && error.status < 429
}
