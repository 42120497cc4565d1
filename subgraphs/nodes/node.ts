import { Arg, Ctx, Field, ID, InterfaceType, Query, Resolver } from 'type-graphql'
import { requireCaller } from '../runtime/call.ts'
import { checkList } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { findNodes } from './node-types.ts'

/** An object by its type and id; the gateway asks the subgraph of its type for the rest. */
export interface FoundNode {
  typeName: string
  id: string
}

@InterfaceType({
  description: 'Whatever has an id: `node` finds it again.',
  resolveType: ({ typeName }: FoundNode) => typeName,
})
export abstract class Node {
  @Field(() => ID, { description: 'What names it everywhere; opaque.' })
  id!: string
}

const nodeById = batched({ findAll: findNodes, idOf: ({ id }) => id })

@Resolver()
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Whatever has this id; null where the account has nothing of that id.',
  })
  async node(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<FoundNode | undefined> {
    requireCaller(context)
    return nodeById(context, id)
  }

  @Query(() => [Node], {
    nullable: 'itemsAndList',
    description: 'Whatever has these ids, in their order, with null where there is nothing; at most 100.',
  })
  async nodes(
    @Ctx() context: SubgraphContext,
    @Arg('ids', () => [ID], { description: 'Their ids.' }) ids: string[],
  ): Promise<(FoundNode | undefined)[]> {
    requireCaller(context)
    return Promise.all((checkList(ids, 'ids') ?? []).map(id => nodeById(context, id)))
  }
}
