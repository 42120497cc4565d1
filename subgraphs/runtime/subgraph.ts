import DataLoader from 'dataloader'
import type { BuildSchemaOptions, ClassType } from 'type-graphql'
import type { SubgraphContext } from './services.ts'

/** A part of the federated graph: what one folder of `subgraphs/` declares. */
export interface Subgraph {
  /** The folder's name; also its name in the supergraph. */
  name: string
  /** The resolver classes. */
  resolvers: BuildSchemaOptions['resolvers']
  /** Types that only an interface leads to. */
  types?: readonly ClassType[]
  /** How each entity that this subgraph resolves is found by its id. Use `batched`. */
  references?: Record<string, FindReference>
}

/** Finds the entity with an id. Undefined where there is none, or the caller may not see it. */
export type FindReference = (context: SubgraphContext, id: string) => Promise<object | undefined>

/**
 * Turns a look-up of many items into a look-up of one: all calls of one fetch are answered by one `findAll`,
 * in which no id occurs twice. `findAll` returns items in any order, and none for an id that it does not
 * find.
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
