import DataLoader from 'dataloader'
import type { BuildSchemaOptions, ClassType } from 'type-graphql'
import type { SubgraphContext } from './services.ts'

/** A part of the federated graph, declared by one folder of `subgraphs/`. */
export interface Subgraph {
  /** The folder's name and the subgraph's name in the supergraph. */
  name: string
  /** The resolver classes. */
  resolvers: BuildSchemaOptions['resolvers']
  /** Types that are reachable only through an interface. */
  types?: readonly ClassType[]
  /** Functions that find the entities of this subgraph by ID. Use `batched`. */
  references?: Record<string, FindReference>
}

/** Returns the entity with this ID, or `undefined` if it does not exist or the caller cannot see it. */
export type FindReference = (context: SubgraphContext, id: string) => Promise<object | undefined>

/**
 * Turns a query for many items into a query for one item. All calls of one fetch share a single `findAll` call without
 * duplicate IDs. `findAll` can return items in any order, and omits items that do not exist.
 */
export function batched<Item>(options: {
  findAll(context: SubgraphContext, ids: readonly string[]): Promise<readonly Item[]>
  idOf(item: Item): string
}): (context: SubgraphContext, id: string) => Promise<Item | undefined> {
  const loaders = new WeakMap<SubgraphContext, DataLoader<string, Item | undefined>>()

  return (context, id) => {
    const loader = loaders.get(context) ?? new DataLoader(ids => inOrder(context, ids))
    loaders.set(context, loader)
    return loader.load(id)
  }

  async function inOrder(context: SubgraphContext, ids: readonly string[]): Promise<(Item | undefined)[]> {
    const items = await options.findAll(context, ids)
    const byId = new Map(items.map(item => [options.idOf(item), item]))
    return ids.map(id => byId.get(id))
  }
}
