import type { Secrets } from '../home/keep-secrets.ts'
import type { Home } from '../home/open-home.ts'
import type { Ports } from './assign-ports.ts'
import type { VendorRoute } from './simulated-vendors.ts'

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
