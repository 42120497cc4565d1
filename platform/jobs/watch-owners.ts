import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../clock.ts'
import type { Log } from '../log.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { explainFault } from '../process/explain-fault.ts'

/** How often jobs of dead workers are looked for, in milliseconds. */
const lookEveryMs = 2_000

/** After a look that failed the next comes so soon, in milliseconds: until then others may take its owner for dead. */
const againMs = 300

/** Postgres may take so long to answer before the connection is given up, in milliseconds. */
const timeoutMs = 5_000

/**
 * Says that the owner of jobs lives, by a session's advisory lock under its name, and gives back the jobs of those whose
 * lock is gone (`schema/statements/free-jobs-of-dead-workers.sql`). The lock is taken again at once where its connection is
 * lost; where that takes longer than a moment, others take the owner for dead and run its jobs again: what jobs do
 * allows that.
 */
export function watchOwners(options: { url: string; name: string; log: Log; owner: string }): {
  close(): Promise<void>
} {
  const { url, name, log, owner } = options
  let isStopping = false
  let pause = new AbortController()
  const sql = openPostgres({
    url,
    name: `${name}-alive`,
    maxConnections: 1,
    statementTimeoutMs: timeoutMs,
    onLost: () => pause.abort(),
  })
  const look = async () => {
    const [row] = await sql<{ dead: number }[]>`select free_jobs_of_dead_workers(${owner}) as dead`
    if (row && row.dead > 0) log.warn({ workers: row.dead }, 'jobs of dead workers were given back')
    return lookEveryMs
  }
  const watching = (async () => {
    while (!isStopping) {
      const restMs = await withTimeout(timeoutMs, look()).catch(error => {
        log.warn({ error: explainFault(error) }, 'jobs of dead workers were not looked for')
        return againMs
      })
      if (isStopping) return
      pause = new AbortController()
      await sleep(restMs, undefined, { signal: pause.signal }).catch(() => {})
    }
  })()
  return {
    async close() {
      isStopping = true
      pause.abort()
      await watching
      await sql.end({ timeout: 1 })
    },
  }
}
