import { Arg, Args, Ctx, ID, Query, Resolver } from 'type-graphql'
import { findModel } from '../../domain/models/model-records.ts'
import { searchModels } from '../../domain/models/search-models.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { maxPageSize } from '../runtime/types/connection.ts'
import { page, rangeOf, toPage } from '../runtime/types/page.ts'
import { Model, presentModel } from './model.ts'
import { filterOf, ModelArgs } from './model-args.ts'

const ModelPage = page(Model)

@Resolver(() => Model)
export class ModelResolver {
  @Query(() => ModelPage, { description: 'Active models: popular ones first, then the newest.' })
  async models(@Args(() => ModelArgs) args: ModelArgs, @Ctx() context: SubgraphContext) {
    requireCaller(context)
    rangeOf(args)
    const found = await searchModels(context, {
      filter: filterOf(args),
      page: args.page,
      perPage: args.perPage,
    })
    return toPage(args, found.data.map(presentModel), found.total)
  }

  @Query(() => Model, {
    nullable: true,
    description: 'One model, by its catalogue id or by the id used in inference requests.',
  })
  async model(@Arg('id', () => ID) id: string, @Ctx() context: SubgraphContext): Promise<Model> {
    requireCaller(context)
    const record = await findModel(context, { id })
    if (!record) throw new Problem('model_not_found')
    return presentModel(record)
  }

  @Query(() => [Model], { description: 'The curated list of recommended models.' })
  async popularModels(@Ctx() context: SubgraphContext): Promise<Model[]> {
    requireCaller(context)
    const { data } = await searchModels(context, { filter: { popular: true }, page: 1, perPage: maxPageSize })
    return data.map(presentModel)
  }
}
