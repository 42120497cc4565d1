import DataLoader from 'dataloader'
import type { SubgraphContext } from './subgraph-context.ts'

/**
 * Makes a look-up of one out of a look-up of many: calls within one fetch are answered by ONE `findAll`, and each
 * id is asked for once. `findAll` answers in any order; `idOf` says which item belongs to which id.
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
