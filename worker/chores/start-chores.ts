import { longestStatementMs } from '../../domain/context.ts'
import type { Chore } from '../../platform/chores/chore.ts'
import { runChores } from '../../platform/chores/run-chores.ts'
import { pooledAddress } from '../../platform/postgres/addresses.ts'
import { openPostgres } from '../../platform/postgres/open-postgres.ts'
import type { WorkerServices } from '../jobs/worker-services.ts'
import { carryingChores } from './carrying.ts'
import { repairs } from './repairs.ts'
import { retention } from './retention.ts'

/** Connections for retention. Repairs have one each, so no slow chore delays the holds of dead processes. */
const retentionConnections = 2

/** Starts the chores of a worker, with connections to Postgres that neither jobs nor tasks use. */
export function startChores(services: WorkerServices): { close(): Promise<void> } {
  const carrying = carryingChores(services)
  const groups = [
    startGroup(services, { name: 'worker-repairs', chores: repairs, connections: repairs.length }),
    startGroup(services, { name: 'worker-retention', chores: retention, connections: retentionConnections }),
    ...(carrying.length > 0
      ? [startGroup(services, { name: 'worker-carrying', chores: carrying, connections: 1 })]
      : []),
  ]
  return {
    async close() {
      await Promise.all(groups.map(group => group.close()))
    },
  }
}

function startGroup(
  services: WorkerServices,
  {
    name,
    chores,
    connections,
  }: { name: string; chores: readonly Chore<WorkerServices>[]; connections: number },
) {
  const { context } = services
  const database = { ...pooledAddress(context.config), name }
  const sql = openPostgres({
    ...database,
    maxConnections: connections,
    statementTimeoutMs: longestStatementMs,
  })
  const own = { ...services, context: { ...context, sql } }
  const running = runChores({
    ...database,
    log: context.log,
    services: own,
    chores,
    graceMs: context.config.shutdownGraceMs,
  })
  return {
    async close() {
      await running.close()
      await sql.end({ timeout: 5 })
    },
  }
}
