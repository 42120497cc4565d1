import { type AccountsContext, triesWindowSeconds } from '../../domain/accounts/limit-tries.ts'
import { openPasswords, type Passwords } from '../../domain/accounts/passwords.ts'
import { openTryCounter, type TryCounter } from '../../domain/accounts/try-counter.ts'
import { type ActionMark, platformId } from '../../domain/audit/record-action.ts'
import { type BalanceWatch, openBalanceWatch } from '../../domain/billing/watch-balances.ts'
import type { CallVendor } from '../../domain/byok/test-credential.ts'
import { type Context, closeContext, openContext } from '../../domain/context.ts'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import { type CatalogueWatch, openCatalogueWatch } from '../../domain/models/watch-catalogue.ts'
import type { Queries } from '../../domain/queries/open-queries.ts'
import { openPayments, type Payments } from '../../domain/stripe/open-payments.ts'
import { openTaskWatch, type TaskWatch } from '../../domain/tasks/watch-tasks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { pooledAddress } from '../../platform/postgres/addresses.ts'
import { type Orm, openOrm } from '../../platform/postgres/open-orm.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import { entities } from '../../schema/entities/entities.ts'
import type { Call } from './call.ts'

/** The connections and services that a process opens once to serve subgraphs. */
export interface SubgraphServices {
  context: Context
  orm: Orm
  tries: TryCounter
  passwords: Passwords
  vendors: Vendors
  payments: Payments
  taskWatch: TaskWatch
  balanceWatch: BalanceWatch
  catalogueWatch: CatalogueWatch
  knownModels: Map<string, ModelRecord>
}

/**
 * The client with which a credential is tested at its vendor. Entry files pass it in, because subgraphs do not import
 * vendor code.
 */
export interface Vendors {
  call: CallVendor
  close(): Promise<void>
}

/** The context of resolvers: the services' context, a unit of work over the database, and the caller. */
export interface SubgraphContext extends AccountsContext, Call {
  /** Sends the request that tests a credential. */
  callVendor: CallVendor
  /** The card processor. */
  payments: Payments
  /** Watches over tasks, balances and the catalogue, for subscriptions. */
  taskWatch: TaskWatch
  balanceWatch: BalanceWatch
  catalogueWatch: CatalogueWatch
  /** The catalogue models that the process has read (`domain/models/model-records.ts`). */
  knownModels: Map<string, ModelRecord>
  /** In a mutation, its row in the audit log. */
  action?: ActionMark
}

/** Opens the context of one fetch from a subgraph. Entities that it loads are not shared with other fetches. */
export function openSubgraphContext(services: SubgraphServices, call: Call): SubgraphContext {
  const { context, orm, vendors, ...opened } = services
  let em: SubgraphContext['em'] | undefined // created on first use, because few reads need it
  const { queries, logQueries } = context
  const ofCaller = (own: Queries): Queries =>
    call.caller?.kind === 'view' ? { ...own, run: (_, work) => own.run(platformId, work) } : own
  return {
    ...context,
    ...call,
    ...opened,
    // Queries of a view do not use the quota of the account that the operator reads.
    queries: ofCaller(queries),
    logQueries: ofCaller(logQueries),
    callVendor: vendors.call,
    get em() {
      em ??= orm.em.fork()
      return em
    },
  }
}

/**
 * Maximum time of a statement of the graph in PostgreSQL, in milliseconds. A slow query of one client must not block a
 * connection that others need.
 */
const maxStatementMs = 10_000

/** Options of entry files and tests. */
export interface ServiceOptions {
  clock?: Clock
  /** Replaces `maxStatementMs`. */
  statementTimeoutMs?: number
  /** Called with each SQL statement, for tests that count them. */
  onStatement?: (statement: string) => void
  tracing?: Tracing | undefined
  /** Opens the client for vendors. Without it, every test of a credential fails. */
  openVendors?: (config: Config) => Vendors
}

/** Opens the connections and services of subgraphs. */
export function openServices(config: Config, options: ServiceOptions & { name: string }): SubgraphServices {
  const { name, statementTimeoutMs = maxStatementMs, onStatement, openVendors = openNoVendors } = options
  const context = openContext(config, { ...options, statementTimeoutMs })
  const { redis, clock } = context
  return {
    context,
    orm: openOrm({ ...pooledAddress(config), name, entities, statementTimeoutMs, onStatement }),
    tries: openTryCounter({ redis, clock, prefix: config.redisPrefix, windowSeconds: triesWindowSeconds }),
    passwords: openPasswords(),
    vendors: openVendors(config),
    payments: openPayments(config),
    taskWatch: openTaskWatch(context),
    balanceWatch: openBalanceWatch(context),
    catalogueWatch: openCatalogueWatch(context),
    knownModels: new Map(),
  }
}

/** Closes the connections and services of subgraphs. */
export async function closeServices(services: SubgraphServices): Promise<void> {
  const { context, orm, vendors, payments, taskWatch, balanceWatch, catalogueWatch } = services
  for (const opened of [taskWatch, payments, balanceWatch, catalogueWatch]) opened.close()
  await Promise.all([orm.close(), vendors.close(), closeContext(context)])
}

function openNoVendors(): Vendors {
  return { call: async () => ({ message: 'This process does not call vendors.' }), close: async () => {} }
}
