import { writeFileSync } from 'node:fs'
import { triesPrefix } from '../domain/accounts/try-counter.ts'
import type { Catalogue } from '../domain/models/read-catalogue.ts'
import { signInPath } from '../domain/single-sign-on/return-target.ts'
import { readConfig } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { openVault } from '../platform/secrets/vault.ts'
import { buildConsole } from './build-console.ts'
import { chooseCatalogue } from './choose-catalogue.ts'
import {
  type ChosenService,
  choosePostgres,
  chooseRedis,
  forgetRedisKeys,
  prepareDatabase,
} from './choose-databases.ts'
import { forgetSimulatedCustomers } from './forget-simulated-customers.ts'
import { type DevFile, type Home, keepSecrets, writeDevFile } from './home.ts'
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
  simulatedIssuers,
  simulatesIssuer,
  systemEnvironment,
  systemProcesses,
  type VendorRoute,
} from './system-processes.ts'

interface StartOptions {
  env: NodeJS.ProcessEnv
  home: Home
  ports: Ports
  /** Whether the Redis keys of this home are deleted. */
  reset: boolean
}

/**
 * Starts everything that Rubicon needs on one machine: databases, processes and a demo account. Writes dev.json. Throws a
 * one-line error if a part does not start; the keeper stops the other parts.
 */
export async function startSystem(
  keeper: Keeper,
  progress: Progress,
  options: StartOptions,
): Promise<RunningSystem> {
  const { env, home, ports, reset } = options
  const secrets = keepSecrets(home)
  const catalogue = await chooseCatalogue(env)
  const simulatorUrl = `http://127.0.0.1:${ports.simulator}`
  const vendors = routeVendors(catalogue.vendors, { env, simulatorUrl })
  const parts = { env, home, ports, secrets, vendors }
  await refuseEarly(parts)

  // The control plane reads the console when it starts. A build takes seconds, while the databases start.
  const building = progress.step('console', buildConsole(), isBuilt =>
    isBuilt ? '' : 'not built: run npm ci',
  )
  building.catch(() => {}) // awaited below
  const { database, redis } = await startDatabases(keeper, progress, options)
  const urls = { databaseUrl: database.url, redisUrl: redis.url }
  const environment = systemEnvironment({ ...parts, ...urls })
  const config = readConfig(environment)
  const forgotten = reset ? config.redisPrefix : config.redisPrefix + triesPrefix // so that a start is never refused by the limit of log-ins
  await forgetRedisKeys({ url: redis.url, cluster: config.redisCluster, prefix: forgotten })
  const prepared = prepareDatabase(database.url, catalogue)
  await progress.step('database', prepared, () => `${catalogue.models.length} models`)
  const hasConsole = await building
  await startProcesses(keeper, progress, { ports, environment, env, home })

  const { baseUrl, mediaUrl } = config
  const [vault, password] = [openVault(config.masterKeys), secrets.demoPassword]
  const demo = await progress.step('demo account', seedDemoAccount({ baseUrl, password, vault, ...urls }))
  const logIn = `#${new URLSearchParams({ email: demo.email, password: demo.password })}`
  const dev: DevFile = {
    base_url: baseUrl,
    console_url: hasConsole ? `${baseUrl}/console/log-in${logIn}` : '',
    graphql_url: `${baseUrl}/graphql`,
    explorer_url: `${baseUrl}/graphql${logIn}`,
    media_url: mediaUrl,
    email: demo.email,
    password: demo.password,
    jwt: demo.jwt,
    api_key: demo.apiKey,
    provisioning_key: demo.provisioningKey,
    operator_key: env.OPERATOR_KEYS ? '' : secrets.demoOperator.key,
    simulator_url: simulatorUrl,
    receiver_url: `http://127.0.0.1:${ports.receiver}`,
    callback_secret: demo.callbackSecret,
    payments_url: config.stripeUrl,
    mailbox_url: `http://127.0.0.1:${ports.mailbox}`,
    sign_in_url: config.issuers.size > 0 ? baseUrl + signInPath : '',
    database_url: database.url,
    redis_url: redis.url,
  }
  writeDevFile(home, dev)
  const model = modelWithin(catalogue, vendors, 'chat')
  const videoModel = modelWithin(catalogue, vendors, 'text-to-video')
  const catchesMail = config.smtpUrl === `smtp://127.0.0.1:${ports.smtp}`
  return {
    home,
    dev,
    database,
    redis,
    vendors,
    real: describeReal(catalogue, vendors),
    catchesMail,
    allowsLoopback: config.allowLoopback,
    model,
    videoModel,
  }
}

/**
 * Throws for invalid settings and for ports in use, before anything is started. Writes the file of issuers first, because
 * the settings read it.
 */
async function refuseEarly(parts: Omit<SystemParts, 'databaseUrl' | 'redisUrl'>): Promise<void> {
  const { env, home, ports } = parts
  if (simulatesIssuer(env)) writeFileSync(home.issuersFile, simulatedIssuers(ports), { mode: 0o600 })
  const { DATABASE_URL: databaseUrl = '', REDIS_URL: redisUrl = '' } = env
  readConfig(systemEnvironment({ ...parts, databaseUrl, redisUrl }))
  await Promise.all(systemProcesses(ports, parts).map(({ port, name }) => requireFreePort(port, name)))
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
  options: { ports: Ports; environment: NodeJS.ProcessEnv; env: NodeJS.ProcessEnv; home: Home },
): Promise<void> {
  const { environment, home } = options
  const { STRIPE_URL, DATABASE_URL: url = '' } = environment
  if (STRIPE_URL) await withPostgres({ url, name: 'dev-start' }, forgetSimulatedCustomers)
  const starts = systemProcesses(options.ports, options).map(plan => {
    const start = () => startProcess(plan, { environment, logs: home.logs, halt: keeper.halt })
    return progress.step(plan.name, keeper.keep(plan.name, plan.rank, start), () => `port ${plan.port}`)
  })
  await Promise.all(starts)
}

/** The models of the README and of docs/media.md, so that the printed commands match the pages. */
const modelsOfPages = { chat: 'vendor_a/atlas', 'text-to-video': 'vendor_i/reel' }

/** Returns a reachable model for a task: the model of the pages, or else a popular one, or else any. */
function modelWithin(
  { models }: Catalogue,
  vendors: readonly VendorRoute[],
  wanted: keyof typeof modelsOfPages,
): string {
  const reachable = new Set(vendors.filter(({ kind }) => kind !== 'none').map(({ label }) => label))
  const found = models.filter(
    ({ task, active, provider }) => task === wanted && active && reachable.has(provider),
  )
  const ofPages = found.find(({ model }) => model === modelsOfPages[wanted])
  return (ofPages ?? found.find(({ popular }) => popular) ?? found[0])?.model ?? 'vendor/model'
}

/** Describes the vendors whose key is set: `OpenAI (vendor_a, 19 models such as vendor_a/gpt-5.4)`. */
function describeReal({ vendors, models }: Catalogue, routes: readonly VendorRoute[]): string {
  const real = routes.filter(({ kind }) => kind === 'real').map(({ label }) => label)
  const described = real.map(label => {
    const name = vendors.find(vendor => vendor.label === label)?.name
    const served = models.filter(({ active, provider }) => active && provider === label)
    const example = (served.find(({ popular }) => popular) ?? served[0])?.model
    return `${name} (${label}, ${served.length} models${example ? ` such as ${example}` : ''})`
  })
  return described.join(', ')
}
