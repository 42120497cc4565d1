import type { AccountsContext } from '../../domain/accounts/limit-tries.ts'
import type { TryCounter } from '../../domain/accounts/try-counter.ts'
import type { CallVendor } from '../../domain/byok/test-credential.ts'
import type { Context } from '../../domain/context.ts'
import type { Orm } from '../../platform/postgres/open-orm.ts'
import type { Call } from './call.ts'
import type { History } from './history.ts'
import type { Vendors } from './open-vendors.ts'

/** What a process that serves subgraphs opens once. */
export interface SubgraphServices {
  context: Context
  orm: Orm
  tries: TryCounter
  history: History
  vendors: Vendors
}

/** What resolvers get: the services's context, one unit of work over the records, and who calls. */
export interface SubgraphContext extends AccountsContext, Call {
  /** The way to vendors. */
  callVendor: CallVendor
  /** The way to transactions and the request log. */
  history: History
}

/** Opens the context of ONE fetch from a subgraph: nothing that it loads outlives that fetch. */
export function openSubgraphContext(services: SubgraphServices, call: Call): SubgraphContext {
  const { context, tries, history, vendors, orm } = services
  return { ...context, ...call, tries, history, callVendor: vendors.call, em: orm.em.fork() }
}
