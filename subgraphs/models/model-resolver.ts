import { Arg, Args, ArgsType, Ctx, Field, ID, Query, Resolver } from 'type-graphql'
import { findModel } from '../../domain/models/model-records.ts'
import { type ModelFilter, searchModels } from '../../domain/models/search-models.ts'
import { vendorLabels } from '../../schema/catalog/vendor.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import { checkList, maxPageSize, PageArgs, page, rangeOf, toPage } from '../runtime/lists.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Modality, Model, presentModel } from './model.ts'

/** Postgres reads a search word by word, one inside the other, and gives up on very long ones. */
const maxSearchLength = 200

/** Which models are wanted. Several values of one argument mean any of them; arguments combine. */
@ArgsType()
class ModelArgs extends PageArgs {
  @Field(() => [Modality], { nullable: true })
  task?: (keyof typeof Modality)[] | null

  @Field(() => [String], { nullable: true, description: 'Vendor labels, `vendor_a` to `vendor_r`.' })
  provider?: string[] | null

  @Field(() => String, {
    nullable: true,
    description: 'Words of the name or description, whole or begun; at most 200 characters.',
  })
  search?: string | null
}

/** Reads the arguments as the verb takes them. Throws `validation_failed`, naming the argument. */
export function filterOf({ task, provider, search }: ModelArgs): ModelFilter {
  const tasks = checkList(task, 'task')
  const providers = checkList(provider, 'provider')
  if (providers?.some(label => !vendorLabels.includes(label))) {
    const message = `provider must be one of ${vendorLabels.join(', ')}.`
    throw new Problem('validation_failed', { param: 'provider', message })
  }
  if (search && search.length > maxSearchLength) {
    const message = `search must have at most ${maxSearchLength} characters.`
    throw new Problem('validation_failed', { param: 'search', message })
  }
  return { tasks, providers, search: search ?? undefined }
}

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
