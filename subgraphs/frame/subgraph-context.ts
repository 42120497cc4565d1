import type { Context } from '../../domain/context.ts'
import type { ManagementContext } from '../../domain/management-context.ts'
import type { Orm } from '../../platform/postgres/open-orm.ts'
import type { Call } from './call.ts'

/** What a process that serves subgraphs opens once. */
export interface House {
  context: Context
  orm: Orm
}

/** What resolvers get: the house's context, one unit of work over the records, and who calls. */
export interface SubgraphContext extends ManagementContext, Call {}

/** Opens the context of ONE fetch from a subgraph: nothing that it loads outlives that fetch. */
export function openSubgraphContext(house: House, call: Call): SubgraphContext {
  return { ...house.context, ...call, em: house.orm.em.fork() }
}
