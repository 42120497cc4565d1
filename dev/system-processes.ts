import type { Vendor } from '../schema/catalog/vendor.ts'
import type { Home, Secrets } from './home.ts'
import type { ProcessPlan } from './start-process.ts'

/** Where each part of the system listens. */
export interface Ports {
  edge: number
  control: number
  worker: number
  simulator: number
  postgres: number
  redis: number
  /** Of the edge's health. */
  health: number
}

/** The edge's port and the ones after it. Throws a one-line error when they do not fit. */
export function assignPorts(first: number): Ports {
  if (!Number.isInteger(first) || first < 1 || first > 65_500)
    throw new Error('--port takes a whole number from 1 to 65500')
  return {
    edge: first,
    control: first + 1,
    worker: first + 2,
    simulator: first + 3,
    postgres: first + 4,
    redis: first + 5,
    health: first + 6,
  }
}

/**
 * The processes of the system, each with its rank in stopping: the edge drains first, the databases go last.
 */
export function systemProcesses(ports: Ports): (ProcessPlan & { rank: number })[] {
  const { edge, control, worker, simulator, health } = ports
  return [
    {
      name: 'simulator',
      entry: 'simulators/vendors/main.ts',
      args: ['--port', String(simulator)],
      port: simulator,
      readyPath: '/__sim/settings',
      rank: 3,
    },
    {
      name: 'control',
      entry: 'gateway/main.ts',
      hasDecorators: true,
      port: control,
      environment: { TRUSTED_PROXIES: '127.0.0.1/32' }, // the edge, which says whom it passes on
      readyPath: '/readyz',
      rank: 2,
    },
    { name: 'worker', entry: 'worker/main.ts', port: worker, readyPath: '/readyz', rank: 2 },
    {
      name: 'edge',
      entry: 'inference-edge/main.ts',
      port: edge,
      environment: { HEALTH_PORT: String(health) },
      readyPath: '/readyz',
      rank: 1,
    },
  ]
}

export const databaseRank = 4

export interface SystemParts {
  env: NodeJS.ProcessEnv
  home: Home
  ports: Ports
  secrets: Secrets
  vendors: readonly VendorRoute[]
  databaseUrl: string
  redisUrl: string
}

/**
 * The environment of every process of the system: what the caller has set, on top of what suits a laptop, and
 * under what this start alone decides (ports, addresses, databases).
 */
export function systemEnvironment(parts: SystemParts): NodeJS.ProcessEnv {
  const { env, home, ports, secrets } = parts
  const { demoPassword: _, ...keys } = secrets
  const baseUrl = `http://127.0.0.1:${ports.edge}`
  return {
    ACCESS_TOKEN_SECONDS: '86400', // the session in dev.json lasts a working day
    ALLOW_LOOPBACK: 'true', // the simulator is on loopback
    REDIS_PREFIX: `rubicon-${home.digest}:`,
    DRAIN_DELAY_MS: '0', // nobody balances load here
    SHUTDOWN_GRACE_MS: '5000',
    ...keys,
    ...settingsIn(env),
    ...Object.assign({}, ...parts.vendors.map(vendor => vendor.environment)),
    DATABASE_URL: parts.databaseUrl,
    REDIS_URL: parts.redisUrl,
    EDGE_PORT: String(ports.edge),
    CONTROL_PORT: String(ports.control),
    WORKER_PORT: String(ports.worker),
    BASE_URL: baseUrl,
    MEDIA_URL: `${baseUrl}/media`,
    CONTROL_URL: `http://127.0.0.1:${ports.control}`,
  }
}

/** An empty variable counts as not set, as it does when settings are read. */
function settingsIn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

/** Where the simulator speaks the wire format of an adapter. */
const simulatorPaths: Partial<Record<Vendor['adapter'], string>> = {
  'openai-chat': '/openai/v1',
  'anthropic-messages': '/anthropic',
  gemini: '/gemini',
}

/** The one credential that the simulator takes from a platform. */
const simulatorKey = 'sim-platform-key'

/** A vendor by how it is reached from this machine. */
export interface VendorRoute {
  label: string
  /** `simulated`, `real` where the environment brings its credential, `none` where nothing can reach it. */
  kind: 'simulated' | 'real' | 'none'
  environment: Record<string, string>
}

/**
 * Leads every vendor that has no credential in the environment to the simulator, where that speaks its
 * format.
 */
export function routeVendors(
  vendors: readonly Vendor[],
  options: { env: NodeJS.ProcessEnv; simulatorUrl: string },
): VendorRoute[] {
  return vendors.map(({ label, adapter }) => {
    const name = label.toUpperCase()
    if (options.env[`${name}_API_KEY`]) return { label, kind: 'real', environment: {} }
    const path = simulatorPaths[adapter]
    if (!path) return { label, kind: 'none', environment: {} }
    const environment = {
      [`${name}_API_KEY`]: simulatorKey,
      [`${name}_BASE_URL`]: `${options.simulatorUrl}${path}`,
    }
    return { label, kind: 'simulated', environment }
  })
}
