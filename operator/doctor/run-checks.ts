import { NoAnswerInTime } from '../../platform/clock.ts'
import { explainFault } from '../../platform/process/explain-fault.ts'
import { redactSecrets, type Secrets } from '../../platform/secrets/redact-secrets.ts'
import type { Check, Report } from './check.ts'

/** Interval at which the time of this process is counted, in milliseconds. */
const tickMs = 100

/**
 * Runs all checks at the same time, and resolves to their reports in the same order. A check that fails, or takes longer
 * than `timeoutMs` of this process's time, is reported as a finding, and hides no other one. The texts of errors, which
 * servers can have written, do not contain the secrets.
 */
export function runChecks(
  checks: readonly Check[],
  { timeoutMs, secrets }: { timeoutMs: number; secrets: Secrets },
): Promise<Report[]> {
  return Promise.all(
    checks.map(async ({ name, remedy, run }) => {
      const result = await withinOwnTime(timeoutMs, run()).catch(error => ({
        findings: [{ fault: redactSecrets(explainCauses(error), secrets), remedy }],
        summary: '',
      }))
      return { name, result }
    }),
  )
}

/** Returns the texts of an error and of its causes: libraries often wrap the error that has the reason. */
function explainCauses(error: unknown): string {
  const text = explainFault(error)
  const cause = error instanceof Error && error.cause !== undefined ? explainCauses(error.cause) : ''
  return text.includes(cause) ? text : `${text}: ${cause}`
}

/**
 * Resolves to the result of `promise`. Throws `NoAnswerInTime` after `ms` in which this process ran. A longer pause of the
 * process counts as one tick, and answers that arrived during the pause are read before the next tick. So a server that
 * answers is not reported on a busy machine.
 */
export function withinOwnTime<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let ticks = Math.ceil(ms / tickMs)
    const timer = setInterval(() => {
      ticks -= 1
      if (ticks === 0) reject(new NoAnswerInTime(ms))
    }, tickMs)
    promise.then(resolve, reject).finally(() => clearInterval(timer))
  })
}
