import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../clock.ts'
import type { Log } from '../log.ts'
import { openPostgres } from '../postgres/open-postgres.ts'
import { explainFault } from '../process/explain-fault.ts'

/** Interval between heartbeats, in milliseconds. */
const beatEveryMs = 1_000

/** Delay before a failed heartbeat is repeated, in milliseconds. Other workers declare this one dead after 3 s. */
const retryMs = 300

/** Time that Postgres has to answer a heartbeat before the connection counts as lost, in milliseconds. */
const timeoutMs = 4_000

/** Shows other workers that this process is alive (`schema/statements/beat-workers.sql`). */
export interface Liveness {
  /**
   * Resolves to the ID under which this process owns work, once Postgres has stored it. The ID changes if other workers
   * declared it dead.
   */
  id(): Promise<string>
  /** Registers an owner of jobs. Calls `onDeath` if other workers declare it dead and run its jobs. */
  add(owner: string, onDeath: () => void): void
  /** Ends an owner. Other workers run the jobs that it left. */
  remove(owner: string): void
  /** Ends the process's ID. Other workers continue the work that it owns. */
  close(): Promise<void>
}

/** Opens the liveness of a process over one connection, and declares other workers dead whose heartbeat has stopped. */
export function openLiveness(options: { url: string; name: string; log: Log }): Liveness {
  const { url, name, log } = options
  const owners = new Map<string, () => void>()
  let retired: string[] = []
  let id = ''
  let registered = Promise.withResolvers<string>()
  let isClosing = false
  let pause = new AbortController()
  const sql = openPostgres({
    url,
    name: `${name}-alive`,
    maxConnections: 1,
    statementTimeoutMs: timeoutMs,
    onLost: () => pause.abort(),
  })

  function register(): void {
    if (id !== '') registered = Promise.withResolvers()
    id = `worker-${randomUUID()}`
    owners.set(id, register)
  }

  async function beat(own: string[], ended: string[]): Promise<void> {
    const [row] = await sql<{ lost: string[]; freed: number }[]>`select * from beat_workers(${own}, ${ended})`
    if (!row) return
    retired = retired.filter(owner => !ended.includes(owner))
    if (row.freed > 0) log.warn({ workers: row.freed }, 'jobs of dead workers were released')
    for (const owner of row.lost) {
      log.warn({ owner }, 'this worker was declared dead and continues with a new ID')
      const onDeath = owners.get(owner)
      owners.delete(owner)
      onDeath?.()
    }
    if (own.includes(id) && !row.lost.includes(id)) registered.resolve(id)
  }

  register()
  const beating = (async () => {
    while (!isClosing) {
      const restMs = await withTimeout(timeoutMs, beat([...owners.keys()], retired)).then(
        () => beatEveryMs,
        error => {
          if (!isClosing) log.warn({ error: explainFault(error) }, 'the heartbeat of this worker failed')
          return retryMs
        },
      )
      if (isClosing) return
      pause = new AbortController()
      await sleep(restMs, undefined, { signal: pause.signal }).catch(() => {})
    }
  })()
  return {
    id: () => registered.promise,
    add(owner, onDeath) {
      owners.set(owner, onDeath)
      pause.abort()
    },
    remove(owner) {
      if (owners.delete(owner)) retired.push(owner)
    },
    async close() {
      isClosing = true
      pause.abort()
      await beating
      await withTimeout(timeoutMs, beat([], [...retired, ...owners.keys()])).catch(() => {}) // its session ends anyway
      await sql.end({ timeout: 1 })
    },
  }
}
