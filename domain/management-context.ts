import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from './context.ts'

/** What the verbs on management records need: the context, and one unit of work over the records. */
export interface ManagementContext extends Context {
  em: EntityManager
}
