import type { Log } from '../log.ts'
import { describeError } from './describe-error.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Calls `close` once when the process is told to end, then exits with 0. An exception that nobody caught ends
 * it in the same order, with exit code 1: what it left half done is in doubt, so no new work is taken, and
 * whoever watches the process starts another. Exits with 1 when closing fails or takes longer than
 * `deadlineMs`. Returns a function that takes the listeners off again.
 */
export function stopInOrder(options: {
  log: Log
  deadlineMs: number
  close(): Promise<unknown>
}): () => void {
  const { log, deadlineMs } = options
  let stopping = false

  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    setTimeout(() => {
      log.error({ deadlineMs }, 'closing took too long')
      process.exit(1)
    }, deadlineMs).unref()
    options.close().then(
      () => process.exit(exitCode),
      error => {
        log.error({ error: String(error) }, 'closing failed')
        process.exit(1)
      },
    )
  }
  const onSignal = (signal: NodeJS.Signals) => {
    if (!stopping) log.info({ signal }, 'stopping')
    stop(0)
  }
  const onException = (error: unknown) => {
    log.fatal({ error: describeError(error) }, 'an exception that nobody caught: stopping')
    stop(1)
  }

  for (const signal of signals) process.on(signal, onSignal)
  process.on('uncaughtException', onException)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    process.off('uncaughtException', onException)
  }
}
