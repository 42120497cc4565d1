import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'

/** How long failed tries count against an e-mail and an address. */
export const triesWindowSeconds = 15 * 60

/**
 * Runs a try to log in, counted against its e-mail and its address before it runs, so that tries sent at once count
 * each; a success is not held against either. Throws `too_many_tries` once there were `loginTries` failures.
 */
export async function limitTries<Result>(
  context: AccountsContext,
  { email, address }: { email: string; address: string },
  attempt: () => Promise<Result>,
): Promise<Result> {
  const names = [`tries:email:${email.trim().toLowerCase()}`, `tries:address:${address}`]
  const counts = await Promise.all(names.map(name => context.tries.count(name)))
  const over = counts.filter(({ tries }) => tries > context.config.loginTries)
  if (over.length > 0) {
    throw new Problem('too_many_tries', {
      retryAfterSeconds: Math.max(1, ...over.map(({ secondsLeft }) => secondsLeft)),
    })
  }
  const forgive = () => Promise.all(names.map(name => context.tries.forgive(name)))
  try {
    const result = await attempt()
    await forgive()
    return result
  } catch (error) {
    if (!(error instanceof Problem)) await forgive() // our own fault is nobody's try
    throw error
  }
}
