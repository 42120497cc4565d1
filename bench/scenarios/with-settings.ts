import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { freePort } from '../../dev/services/ports.ts'
import { findPgBouncer, poolerLimits, preparePgBouncer } from '../../test/harness/postgres/start-pgbouncer.ts'
import { medianOf } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'
import { type Pairs, ratioOf, runPairs } from '../rounds/run-pairs.ts'
import { type Round, runRound } from '../rounds/run-round.ts'
import { untilSteady } from '../rounds/warm-up.ts'
import type { System } from '../system/start-system.ts'
import type { Scenario } from './scenario.ts'

const load = { shape: { connections: 50 }, keys: 1_000 }

/** Settings of an edge, and the processes that they need. */
interface Setting {
  environment: Record<string, string>
  pids?: Record<string, number>
}

/** The costs of settings: an edge with the setting, in turns with the usual one. */
export const withSettings: Scenario[] = [
  {
    name: 'pooler',
    description: 'an edge through PgBouncer, and one with direct connections; 1,000 keys, 50 connections',
    run: (system, options) => compare(system, options, startPooler),
  },
  {
    name: 'traces',
    description: 'an edge that traces every request, and one that traces none; 1,000 keys, 50 connections',
    run: (system, options) => compare(system, options, startReceiver),
  },
]

async function compare(
  system: System,
  { rounds, lengths }: Parameters<Scenario['run']>[1],
  start: (system: System, stack: AsyncDisposableStack) => Promise<Setting | undefined>,
) {
  await using stack = new AsyncDisposableStack()
  const setting = await start(system, stack)
  if (!setting) return { rows: [], faults: [] }
  const edge = stack.use(await system.startEdge({ environment: setting.environment }))
  const other: System = {
    ...system,
    ports: { ...system.ports, edge: edge.port },
    pids: { ...system.pids, edge: edge.pid, ...setting.pids },
  }
  for (const side of [system, other]) await untilSteady(side, 'edge', load)
  const pairs = await runPairs(rounds, {
    base: () => runRound(system, { load, lengths }),
    other: () => runRound(other, { load, lengths }),
  })
  const processes = ['edge', 'postgres', 'redis', ...Object.keys(setting.pids ?? {})]
  return { rows: processes.map(name => rowOf(name, pairs)), faults: pairs.faults, data: pairs }
}

function rowOf(name: string, pairs: Pairs): Row {
  const cpu = (round: Round) => round.cpuMs[name] ?? 0
  const figures = { without: medianOf(pairs.base, cpu), with: medianOf(pairs.other, cpu) }
  const isInBoth = figures.without > 0
  return row(`CPU ms of ${name}`, { ...figures, ...(isInBoth && ratioOf(pairs, cpu)) })
}

/** Starts PgBouncer before the server. Resolves to undefined if none is installed that keeps prepared statements. */
async function startPooler(
  { folder, environment, context }: System,
  stack: AsyncDisposableStack,
): Promise<Setting | undefined> {
  const binary = findPgBouncer('The cost of a pooler')
  if (!binary?.keepsStatements) return undefined
  const [port, role] = [await freePort(), 'pooled']
  await context.sql.unsafe(`create role ${role} superuser login password '${role}'`)
  for (const [name, value] of Object.entries(poolerLimits))
    await context.sql.unsafe(`alter role ${role} set ${name} = '${value}'`)
  const direct = new URL(environment.DATABASE_URL!)
  const own = join(folder, 'pooler')
  await mkdir(own)
  const start = preparePgBouncer(binary, { folder: own, port, server: direct, role })
  const service = await start()
  stack.defer(() => service.stop())
  const pooled = new URL(direct)
  pooled.port = String(port)
  return {
    environment: { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: direct.href },
    pids: { pooler: service.pid },
  }
}

/** Starts a receiver of traces in this process, whose CPU is not measured. */
async function startReceiver(_system: System, stack: AsyncDisposableStack): Promise<Setting> {
  const port = await freePort()
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'))
  })
  server.listen(port, '127.0.0.1')
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return { environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } }
}
