import { networkOf } from '../../platform/http/network-of.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from './accounts-context.ts'
import { countTry } from './count-try.ts'

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
