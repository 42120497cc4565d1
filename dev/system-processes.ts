import { createHmac } from 'node:crypto'
import type { Vendor } from '../schema/catalog/vendor.ts'
import type { Home, Secrets } from './home.ts'
import { openRealVendors } from './real-vendors.ts'
import { simulatedVendor } from './simulator-paths.ts'
import type { ProcessPlan } from './start-process.ts'

/** The port of each part of the system. */
export interface Ports {
  edge: number
  control: number
  worker: number
  simulator: number
  postgres: number
  redis: number
  /** The ports of the health checks and metrics of edge and control plane. */
  health: number
  controlHealth: number
  /** The port of the callback receiver. */
  receiver: number
  /** The port of the payment simulator. */
  payments: number
  /** The ports of the mailbox page and of its mail server. */
  mailbox: number
  smtp: number
  /** The port of the simulated issuer of single sign-on. */
  issuer: number
}

/** Assigns the edge's port and the ports after it. Throws a one-line error if they are out of range. */
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
    receiver: first + 7,
    payments: first + 8,
    mailbox: first + 9,
    smtp: first + 10,
    issuer: first + 11,
    controlHealth: first + 12,
  }
}

/**
 * The processes of the system, each with its rank for stopping: the edge drains first, the databases stop last.
 */
export function systemProcesses(
  ports: Ports,
  { env, home }: { env: NodeJS.ProcessEnv; home: Home },
): (ProcessPlan & { rank: number })[] {
  const { edge, control, worker, simulator, health, receiver, mailbox, smtp } = ports
  return [
    ...(simulatesPayments(env) ? [paymentSimulator(ports)] : []),
    ...(simulatesIssuer(env) ? [issuerSimulator(ports)] : []),
    {
      name: 'simulator',
      entry: 'simulators/vendors/main.ts',
      args: ['--port', String(simulator), '--generation-ms', '3000'],
      port: simulator,
      readyPath: '/readyz',
      rank: 3,
    },
    {
      name: 'receiver',
      entry: 'simulators/receiver/main.ts',
      args: ['--port', String(receiver), '--secrets-in', home.devFile],
      port: receiver,
      readyPath: '/readyz',
      rank: 3,
    },
    {
      name: 'mailbox',
      entry: 'simulators/mailbox/main.ts',
      args: ['--port', String(mailbox), '--smtp-port', String(smtp)],
      port: mailbox,
      readyPath: '/mails',
      rank: 3,
    },
    {
      name: 'control',
      entry: 'gateway/main.ts',
      hasDecorators: true,
      port: control,
      environment: {
        CONTROL_HEALTH_PORT: String(ports.controlHealth),
        TRUSTED_PROXIES: '127.0.0.1/32', // the edge, which reports the client's address
      },
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

/** Whether an issuer of single sign-on is simulated, unless the environment configures log-in. */
export function simulatesIssuer(env: NodeJS.ProcessEnv): boolean {
  return !env.SINGLE_SIGN_ON_FILE && !env.FOREIGN_JWKS_URL
}

const issuerClient = { id: 'rubicon', secret: 'simulated-client-secret' }

function issuerSimulator({ edge, issuer }: Ports): ProcessPlan & { rank: number } {
  return {
    name: 'issuer',
    entry: 'simulators/issuer/main.ts',
    args: [
      '--port',
      String(issuer),
      '--service-url',
      `http://127.0.0.1:${edge}`,
      '--client-id',
      issuerClient.id,
      '--client-secret',
      issuerClient.secret,
    ],
    port: issuer,
    readyPath: '/.well-known/openid-configuration',
    rank: 3,
  }
}

/** Returns the content of `SINGLE_SIGN_ON_FILE` with the simulated issuer. */
export function simulatedIssuers({ issuer }: Pick<Ports, 'issuer'>): string {
  const settings = {
    title: 'the simulated issuer',
    issuer: `http://127.0.0.1:${issuer}`,
    client_id: issuerClient.id,
    client_secret: issuerClient.secret,
    opens_accounts: true,
  }
  return JSON.stringify({ simulated: settings }, null, 2)
}

/** Whether payments are simulated, which is the case unless a Stripe key is set. */
export function simulatesPayments(env: NodeJS.ProcessEnv): boolean {
  return !env.STRIPE_SECRET_KEY
}

function paymentSimulator({ edge, payments }: Ports): ProcessPlan & { rank: number } {
  const webhookUrl = `http://127.0.0.1:${edge}/api/v1/webhooks/stripe`
  return {
    name: 'payments',
    entry: 'simulators/payment/main.ts',
    args: ['--port', String(payments), '--webhook-url', webhookUrl],
    port: payments,
    readyPath: '/readyz',
    rank: 3,
  }
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
  const { demoPassword: _, demoOperator, ...keys } = secrets
  const baseUrl = `http://127.0.0.1:${ports.edge}`
  return {
    ACCESS_TOKEN_SECONDS: '86400', // the session in dev.json lasts a working day
    ALLOW_LOOPBACK: 'true', // the simulator is on loopback
    REDIS_PREFIX: `rubicon-${home.digest}:`,
    DRAIN_DELAY_MS: '0', // no load balancer runs here
    SHUTDOWN_GRACE_MS: '5000',
    MEDIA_FOLDER: home.media,
    SMTP_URL: `smtp://127.0.0.1:${ports.smtp}`,
    ...keys,
    OPERATOR_KEYS: `demo=${demoOperator.digest}`,
    ...settingsIn(env),
    ...Object.assign({}, ...parts.vendors.map(vendor => vendor.environment)),
    ...(simulatesPayments(env) && simulatedPayments(parts)),
    ...(simulatesIssuer(env) && { SINGLE_SIGN_ON_FILE: home.issuersFile }),
    DATABASE_URL: parts.databaseUrl,
    REDIS_URL: parts.redisUrl,
    EDGE_PORT: String(ports.edge),
    CONTROL_PORT: String(ports.control),
    WORKER_PORT: String(ports.worker),
    BASE_URL: baseUrl,
    MEDIA_URL: env.MEDIA_URL || `${baseUrl}/media`, // a tunnel, where real vendors are to fetch from here
    CONTROL_URL: `http://127.0.0.1:${ports.control}`,
  }
}

/** What leads the client of Stripe to the simulator. */
function simulatedPayments({ ports, secrets }: SystemParts): NodeJS.ProcessEnv {
  const secret = createHmac('sha256', secrets.SUBGRAPH_SECRET).update('payments').digest('hex')
  return {
    STRIPE_SECRET_KEY: 'sk_test_simulated_payments',
    STRIPE_WEBHOOK_SECRET: `whsec_${secret}`,
    STRIPE_URL: `http://127.0.0.1:${ports.payments}`,
  }
}

/** An empty variable counts as not set, as it does when settings are read. */
function settingsIn(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}

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
  const isReal = openRealVendors(options.env)
  return vendors.map(({ label, adapter }) => {
    if (isReal(label)) return { label, kind: 'real', environment: {} }
    const environment = simulatedVendor({ label, adapter }, options.simulatorUrl)
    if (!environment) return { label, kind: 'none', environment: {} }
    return { label, kind: 'simulated', environment }
  })
}
