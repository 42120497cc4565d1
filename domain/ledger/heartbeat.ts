import { withTimeout } from '../../platform/with-timeout.ts'
import { Problem } from '../../schema/errors.ts'
import { answerTimeoutMs, type Ledger } from './ledger.ts'

/**
 * Tells Postgres that this process lives, and learns whether its holds still stand: by a flush that carries nothing,
 * behind those that are queued. One that Postgres takes after a later one changes nothing, so that no trust comes from
 * it. Throws `unavailable` when Postgres does not answer in time.
 */
export async function beat(ledger: Ledger): Promise<void> {
  ledger.beating ??= ledger.commits.add({ kind: 'beat' }).finally(() => {
    ledger.beating = undefined
  })
  try {
    await withTimeout(answerTimeoutMs, ledger.beating)
  } catch (error) {
    throw new Problem('unavailable', { retryAfterSeconds: 1, cause: error })
  }
  if (ledger.context.clock.monotonic() > ledger.trustedUntil)
    throw new Problem('unavailable', { retryAfterSeconds: 1 })
}
