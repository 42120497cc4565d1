import { networkOf } from '../../platform/http/network-of.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { countTry, type TryLimit } from './count-try.ts'

/** How long failed tries count. */
export const triesWindowSeconds = 15 * 60

/** An e-mail over all addresses, and an address over all e-mails, have so many times the tries of one pair. */
const widening = 10

/**
 * Runs a try to log in, counted before it runs, so that tries sent at once count each. A pair of e-mail and address
 * has `loginTries` failures; wider limits keep many addresses from guessing at one e-mail, and one address from
 * guessing at many, without shutting out whoever shares either. A success clears its pair.
 * Throws `too_many_tries` when a limit is used up; such a try counts against none.
 */
export async function limitTries<Result>(
  context: AccountsContext,
  who: { email: string; address: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const { tries } = context
  const limits = limitsOf(who, context.config.loginTries)
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

/** The pair first: what it refuses is not held against the rest. */
function limitsOf(
  { email, address }: { email: string; address: string },
  most: number,
): readonly [TryLimit, ...TryLimit[]] {
  const network = networkOf(address)
  return [
    { name: `pair:${network} ${email}`, most },
    { name: `address:${network}`, most: most * widening },
    { name: `email:${email}`, most: most * widening },
  ]
}

/** Counts a try against each limit in turn, until one is used up. */
async function countAll({ tries }: AccountsContext, limits: readonly TryLimit[]): Promise<void> {
  for (const [index, limit] of limits.entries()) {
    try {
      await countTry(tries, limit)
    } catch (error) {
      await Promise.all(limits.slice(0, index + 1).map(({ name }) => tries.forgive(name)))
      throw error
    }
  }
}
