import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql'
import { findAllowedModels } from '../../domain/keys/find-allowed-models.ts'
import { findModel } from '../../domain/models/model-records.ts'
import { viewerOf, visibilityOf } from '../../domain/models/reachable-models.ts'
import { countModels, positionOfModel, searchModels } from '../../domain/models/search-models.ts'
import { Problem } from '../../schema/errors.ts'
import { ConnectionArgs, connection, maxPageSize, sliceOf, toConnection } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Model, presentModel } from './model.ts'
import { filterOf, ModelFilterInput, ModelOrderInput, orderOf } from './model-lists.ts'

@ArgsType()
class ModelArgs extends ConnectionArgs {
  @Field(() => ModelFilterInput, {
    nullable: true,
    description: 'The filter. Without it, all active models are listed.',
  })
  filter?: ModelFilterInput | null

  @Field(() => ModelOrderInput, {
    nullable: true,
    description: 'The sort order. Defaults to popular models first, then newest first.',
  })
  orderBy?: ModelOrderInput | null
}

const ModelConnection = connection(Model)

const allowedModel = batched({
  findAll: async (context, ids) =>
    context.caller?.kind === 'key' ? findAllowedModels(context, { ...context.caller, ids }) : [],
  idOf: ({ entry }) => entry.id,
})

@Resolver(() => Model)
export class ModelResolver {
  @Query(() => ModelConnection, { nullable: true, description: 'Lists the models that requests can use.' })
  async models(@Args(() => ModelArgs) args: ModelArgs, @Ctx() context: SubgraphContext) {
    const [filter, order] = [filterOf(args.filter, context), orderOf(args.orderBy)]
    const slice = sliceOf(args, order)
    return toConnection(slice, {
      rows: await searchModels(context, { filter, order, slice }),
      positionOf: model => positionOfModel(model, order),
      present: presentModel,
      countAll: () => countModels(context, filter),
    })
  }

  @Query(() => Model, {
    nullable: true,
    description: 'Returns a model by its catalogue ID or by its ID in inference requests.',
  })
  async model(
    @Arg('id', () => ID, { description: "The model's catalogue ID, or its ID in inference requests." })
    id: string,
    @Ctx() context: SubgraphContext,
  ): Promise<Model> {
    const record = await findModel(context, { id, ...visibilityOf(context) })
    if (!record) throw new Problem('model_not_found')
    return presentModel(record)
  }

  @Query(() => [Model], { nullable: true, description: 'Lists the recommended models.' })
  async popularModels(@Ctx() context: SubgraphContext): Promise<Model[]> {
    const slice = { limit: maxPageSize }
    return (await searchModels(context, { filter: { popular: true, viewer: viewerOf(context) }, slice })).map(
      presentModel,
    )
  }

  @FieldResolver(() => Boolean, {
    description:
      'Whether the calling API key can call the model: its `allowedModels` and `allowedVendors` include it. `true` for other callers.',
  })
  async isAllowed(@Root() { id }: Model, @Ctx() context: SubgraphContext): Promise<boolean> {
    return context.caller?.kind !== 'key' || (await allowedModel(context, id)) !== undefined
  }
}
