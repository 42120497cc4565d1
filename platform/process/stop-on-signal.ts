import type { Log } from '../log.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Calls `close` once when the process is told to end, then exits with 0. Exits with 1 when closing fails or takes longer than `deadlineMs`.
 * Returns a function that takes the listeners off again.
 */
export function stopOnSignal(options: {
  log: Log
  deadlineMs: number
  close(): Promise<unknown>
}): () => void {
  const { log, deadlineMs } = options
  let stopping = false

  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error({ deadlineMs }, 'closing took too long')
      process.exit(1)
    }, deadlineMs).unref()
    options.close().then(
      () => process.exit(0),
      error => {
        log.error({ error: String(error) }, 'closing failed')
        process.exit(1)
      },
    )
  }

  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}
