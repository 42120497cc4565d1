import { type AccountsContext, triesWindowSeconds } from '../../domain/accounts/limit-tries.ts'
import { openPasswords, type Passwords } from '../../domain/accounts/passwords.ts'
import { openTryCounter, type TryCounter } from '../../domain/accounts/try-counter.ts'
import type { ActionMark } from '../../domain/audit/record-action.ts'
import { openPayments, type Payments } from '../../domain/billing/open-payments.ts'
import { type BalanceWatch, openBalanceWatch } from '../../domain/billing/watch-balances.ts'
import type { CallVendor } from '../../domain/byok/test-credential.ts'
import { type Context, closeContext, openContext } from '../../domain/context.ts'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import { type CatalogueWatch, openCatalogueWatch } from '../../domain/models/watch-catalogue.ts'
import { openTaskWatch, type TaskWatch } from '../../domain/tasks/watch-tasks.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { type Orm, openOrm } from '../../platform/postgres/open-orm.ts'
import { entities } from '../../schema/entities/entities.ts'
import type { Call } from './call.ts'

/** What a process that serves subgraphs opens once. */
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
 * How vendors are called to test a customer's credential. Subgraphs do not know them: an entry file passes
 * this in.
 */
export interface Vendors {
  call: CallVendor
  close(): Promise<void>
}

/** What resolvers get: the services' context, a unit of work over the database, and the caller. */
export interface SubgraphContext extends AccountsContext, Call {
  /** Sends the request that tests a credential. */
  callVendor: CallVendor
  /** The card processor. */
  payments: Payments
  /** Watch tasks, balances and the catalogue, for subscriptions. */
  taskWatch: TaskWatch
  balanceWatch: BalanceWatch
  catalogueWatch: CatalogueWatch
  /** The models of the catalogue that the process has read (`domain/models/model-records.ts`). */
  knownModels: Map<string, ModelRecord>
  /** In a mutation: its row of the audit log. */
  action?: ActionMark
}

/** Opens the context of one fetch from a subgraph: entities that it loads are not seen by the next. */
export function openSubgraphContext(services: SubgraphServices, call: Call): SubgraphContext {
  const { context, orm, vendors, ...opened } = services
  let em: SubgraphContext['em'] | undefined // few reads need one
  return {
    ...context,
    ...call,
    ...opened,
    callVendor: vendors.call,
    get em() {
      em ??= orm.em.fork()
      return em
    },
  }
}

/** What an entry file, or a test, may choose. */
export interface ServiceOptions {
  clock?: Clock
  /** Is given each SQL statement, for tests that count them. */
  onStatement?: (statement: string) => void
  /** Without it every test of a credential fails. */
  openVendors?: (config: Config) => Vendors
}

/** Opens connections and everything else that subgraphs work with. */
export function openServices(config: Config, options: ServiceOptions & { name: string }): SubgraphServices {
  const { name, onStatement, openVendors = openNoVendors } = options
  const { statementTimeoutMs } = config // a slow query of one client must not keep its connection from the others
  const context = openContext(config, { ...options, statementTimeoutMs })
  const { redis, clock } = context
  return {
    context,
    orm: openOrm({ url: config.databaseUrl, name, entities, statementTimeoutMs, onStatement }),
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

/** Closes them again. */
export async function closeServices(services: SubgraphServices): Promise<void> {
  const { context, orm, vendors, payments, taskWatch, balanceWatch, catalogueWatch } = services
  for (const opened of [taskWatch, payments, balanceWatch, catalogueWatch]) opened.close()
  await Promise.all([orm.close(), vendors.close(), closeContext(context)])
}

function openNoVendors(): Vendors {
  return { call: async () => ({ message: 'This process does not call vendors.' }), close: async () => {} }
}
