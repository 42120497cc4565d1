import { join } from 'node:path'
import { triesPrefix } from '../domain/accounts/try-counter.ts'
import { type Catalogue, readCatalogue } from '../domain/models/read-catalogue.ts'
import { readConfig } from '../platform/config/read-config.ts'
import {
  type ChosenService,
  choosePostgres,
  chooseRedis,
  forgetRedisKeys,
  prepareDatabase,
} from './choose-databases.ts'
import { checkout, type DevFile, type Home, keepSecrets, writeDevFile } from './home.ts'
import type { Keeper } from './keep-alive.ts'
import type { Progress, RunningSystem } from './report.ts'
import { seedDemoAccount } from './seed-demo-account.ts'
import { requireFreePort } from './services/ports.ts'
import { startProcess } from './start-process.ts'
import type { Ports } from './system-processes.ts'
import {
  databaseRank,
  routeVendors,
  type SystemParts,
  systemEnvironment,
  systemProcesses,
  type VendorRoute,
} from './system-processes.ts'

interface StartOptions {
  env: NodeJS.ProcessEnv
  home: Home
  ports: Ports
  /** Forgets what Redis knows of this home. */
  reset: boolean
}

/**
 * Starts everything that Rubicon needs on one machine: databases, processes, a demo account; writes dev.json.
 * Throws a one-line error when a part does not start; what did start is the keeper's to end.
 */
export async function startSystem(
  keeper: Keeper,
  progress: Progress,
  options: StartOptions,
): Promise<RunningSystem> {
  const { env, home, ports, reset } = options
  const secrets = keepSecrets(home)
  const catalogue = await readCatalogue(join(checkout, 'schema/catalog'))
  const simulatorUrl = `http://127.0.0.1:${ports.simulator}`
  const vendors = routeVendors(catalogue.vendors, { env, simulatorUrl })
  const parts = { env, home, ports, secrets, vendors }
  await refuseEarly(parts)

  const { database, redis } = await startDatabases(keeper, progress, options)
  const urls = { databaseUrl: database.url, redisUrl: redis.url }
  const environment = systemEnvironment({ ...parts, ...urls })
  const config = readConfig(environment)
  const forgotten = reset ? config.redisPrefix : config.redisPrefix + triesPrefix // a start is not locked out of log-in
  await forgetRedisKeys({ url: redis.url, cluster: config.redisCluster, prefix: forgotten })
  const prepared = prepareDatabase(database.url, catalogue)
  await progress.step('database', prepared, () => `${catalogue.models.length} models`)
  await startProcesses(keeper, progress, { ports, environment, logs: home.logs })

  const { baseUrl, mediaUrl } = config
  const seeded = seedDemoAccount({ baseUrl, password: secrets.demoPassword, ...urls })
  const demo = await progress.step('demo account', seeded)
  const dev: DevFile = {
    base_url: baseUrl,
    graphql_url: `${baseUrl}/graphql`,
    media_url: mediaUrl,
    email: demo.email,
    password: demo.password,
    jwt: demo.jwt,
    api_key: demo.apiKey,
    provisioning_key: demo.provisioningKey,
    simulator_url: simulatorUrl,
    database_url: database.url,
    redis_url: redis.url,
  }
  writeDevFile(home, dev)
  const model = chatModelWithin(catalogue, vendors)
  return { home, dev, database, redis, vendors, allowsLoopback: config.allowLoopback, model }
}

/** Throws for wrong settings and ports in use, before anything is started. */
async function refuseEarly(parts: Omit<SystemParts, 'databaseUrl' | 'redisUrl'>): Promise<void> {
  const { DATABASE_URL: databaseUrl = '', REDIS_URL: redisUrl = '' } = parts.env
  readConfig(systemEnvironment({ ...parts, databaseUrl, redisUrl }))
  await Promise.all(systemProcesses(parts.ports).map(({ port, name }) => requireFreePort(port, name)))
}

async function startDatabases(keeper: Keeper, progress: Progress, { env, home, ports }: StartOptions) {
  const both = { env, home, rank: databaseRank }
  const [database, redis] = await Promise.all([
    progress.step('PostgreSQL', choosePostgres(keeper, { ...both, port: ports.postgres }), originOf),
    progress.step('Redis', chooseRedis(keeper, { ...both, port: ports.redis }), originOf),
  ])
  return { database, redis }
}

function originOf({ origin }: ChosenService): string {
  return origin
}

async function startProcesses(
  keeper: Keeper,
  progress: Progress,
  options: { ports: Ports; environment: NodeJS.ProcessEnv; logs: string },
): Promise<void> {
  const { environment, logs } = options
  const starts = systemProcesses(options.ports).map(plan => {
    const start = () => startProcess(plan, { environment, logs, halt: keeper.halt })
    return progress.step(plan.name, keeper.keep(plan.name, plan.rank, start), () => `port ${plan.port}`)
  })
  await Promise.all(starts)
}

/** A chat model whose vendor can be reached, the recommended ones first. */
function chatModelWithin({ models }: Catalogue, vendors: readonly VendorRoute[]): string {
  const reachable = new Set(vendors.filter(({ kind }) => kind !== 'none').map(({ label }) => label))
  const chats = models.filter(({ task, active, provider }) => {
    return task === 'chat' && active && reachable.has(provider)
  })
  return (chats.find(({ popular }) => popular) ?? chats[0])?.model ?? 'vendor/model'
}
