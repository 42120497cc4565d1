import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../clock.ts'
import type { Log } from '../log.ts'
import { openDedicatedConnection } from '../postgres/dedicated-connection.ts'
import type { Database } from '../postgres/open-postgres.ts'
import { explainFault } from '../process/explain-fault.ts'
import type { Chore } from './chore.ts'

/** Interval at which a worker checks for due chores and renews the leases of its running chores, in milliseconds. */
const checkIntervalMs = 1_000

/** Duration of a lease, in milliseconds. If a worker freezes or dies, another worker runs its chore after this time. */
const leaseMs = 10_000

/** Maximum duration of one run, in milliseconds. A run that never ends must not stop the chore. */
const maxRunMs = 600_000

export interface ChoreOptions<Services> extends Database {
  log: Log
  services: Services
  chores: readonly Chore<Services>[]
  /** Maximum time in which running chores end after `close` is called, in milliseconds. */
  graceMs: number
}

/**
 * Runs chores by a timer until closed. A lease in Postgres (the table `chores`) lets one worker at a time run each.
 * Postgres, jobs and other workers may fail at any moment: every check adds missing rows and takes over leases that
 * have ended.
 */
export function runChores<Services>(options: ChoreOptions<Services>): { close(): Promise<void> } {
  const { log, services, chores, graceMs } = options
  const leases = openLeases(options)
  const byName = new Map(chores.map(chore => [chore.name, chore]))
  const running = new Map<string, Promise<void>>()
  const stopping = new AbortController()
  const { signal } = stopping
  let hasFailed = false

  async function check(): Promise<void> {
    const idle = chores.filter(chore => !running.has(chore.name))
    for (const claimed of await leases.claim(idle, [...running.keys()])) {
      const chore = byName.get(claimed)
      if (chore && !signal.aborted) running.set(claimed, runClaimed(chore))
    }
  }

  async function runClaimed(chore: Chore<Services>): Promise<void> {
    await withTimeout(maxRunMs, chore.run(services)).catch(error => {
      log.error({ chore: chore.name, error: explainFault(error) }, 'a chore failed')
    })
    running.delete(chore.name)
    await leases.release(chore).catch(() => {}) // the lease expires
  }

  const checking = (async () => {
    while (!signal.aborted) {
      await check().then(
        () => {
          hasFailed = false
        },
        error => {
          if (!hasFailed)
            log.warn({ error: explainFault(error) }, 'due chores could not be checked; retrying')
          hasFailed = true
        },
      )
      await sleep(checkIntervalMs, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    async close() {
      stopping.abort()
      await checking
      await withTimeout(graceMs, Promise.all(running.values())).catch(() => {})
      await leases.close()
    },
  }
}

/** Opens the leases of this process over a separate connection, so that slow chores do not delay them. */
function openLeases(database: Database) {
  const { url, isPooled = false } = database
  const connection = openDedicatedConnection({ url, isPooled, name: `${database.name}-leases` })
  const worker = randomUUID()
  const lease = `${leaseMs} ms`
  return {
    /** Renews the leases of `running`, claims the due chores among `idle`, and returns the names of the claimed ones. */
    async claim(idle: readonly Pick<Chore<never>, 'name' | 'everyMs'>[], running: readonly string[]) {
      const [names, every] = [idle.map(({ name }) => name), idle.map(({ everyMs }) => everyMs)]
      const rows = await connection.run(
        sql => sql<{ name: string }[]>`
          select claim_chores(${names}, ${every}::integer[], ${[...running]}, ${worker}, ${lease}::interval) as name`,
      )
      return rows.map(row => row.name)
    },
    /** Makes the chore due again after `everyMs`, unless another worker has taken over. */
    async release({ name, everyMs }: Pick<Chore<never>, 'name' | 'everyMs'>): Promise<void> {
      await connection.run(
        sql => sql`
          update chores set due_at = clock_timestamp() + ${`${everyMs} ms`}::interval
          where name = ${name} and worker = ${worker}`,
      )
    },
    close: () => connection.end(),
  }
}
