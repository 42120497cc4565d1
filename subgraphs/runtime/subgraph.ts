import type { BuildSchemaOptions } from 'type-graphql'
import type { SubgraphContext } from './subgraph-context.ts'

/** A part of the graph: what one folder of `subgraphs/` declares. */
export interface Subgraph {
  /** The folder's name; also its name in the supergraph. */
  name: string
  /** The resolver classes. */
  resolvers: BuildSchemaOptions['resolvers']
  /** For each entity that it answers for: how to find one by its id. Batch it with `batched`. */
  references?: Record<string, FindReference>
}

/** Finds the entity with that id. Undefined where there is none, or it is not the caller's. */
export type FindReference = (context: SubgraphContext, id: string) => Promise<object | undefined>
