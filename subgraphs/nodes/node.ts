import { Arg, Ctx, Field, ID, InterfaceType, Query, Resolver } from 'type-graphql'
import { requireCaller } from '../runtime/call.ts'
import { checkList } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { findNodes } from './node-types.ts'

/** The type and ID of an object. The gateway reads its other fields from the type's subgraph. */
export interface FoundNode {
  typeName: string
  id: string
}

@InterfaceType({
  description: 'An object with an ID. The query `node` returns it by that ID.',
  resolveType: ({ typeName }: FoundNode) => typeName,
})
export abstract class Node {
  @Field(() => ID, { description: "The object's ID. Treat it as an opaque string." })
  id!: string
}

const nodeById = batched({ findAll: findNodes, idOf: ({ id }) => id })

@Resolver()
export class NodeResolver {
  @Query(() => Node, {
    nullable: true,
    description: 'Returns the object with this ID. `null` if the account has no such object.',
  })
  async node(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The object's ID." }) id: string,
  ): Promise<FoundNode | undefined> {
    requireCaller(context)
    return nodeById(context, id)
  }

  @Query(() => [Node], {
    nullable: 'itemsAndList',
    description:
      'Returns the objects with these IDs, in the same order. An item is `null` if the account has no such object. At most 100 IDs.',
  })
  async nodes(
    @Ctx() context: SubgraphContext,
    @Arg('ids', () => [ID], { description: "The objects' IDs, at most 100." }) ids: string[],
  ): Promise<(FoundNode | undefined)[]> {
    requireCaller(context)
    return Promise.all((checkList(ids, 'ids') ?? []).map(id => nodeById(context, id)))
  }
}
