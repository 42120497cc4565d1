import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { findModels, loadCatalogue } from '../../domain/models/model-records.ts'
import { Problem } from '../../schema/errors.ts'
import { batched } from '../runtime/batched.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { Model } from './model.ts'
import { Pricing, presentPricing } from './pricing.ts'

const pricingOf = batched({
  findAll: async (context, ids) => (await findModels(context, { ids })).map(presentPricing),
  idOf: ({ modelId }) => modelId,
})

@Resolver(() => Model)
export class PricingResolver {
  @Query(() => [Pricing], { description: 'What every active model costs.' })
  async pricing(@Ctx() context: SubgraphContext): Promise<Pricing[]> {
    requireCaller(context)
    return (await loadCatalogue(context)).models.map(presentPricing)
  }

  @FieldResolver(() => Pricing, { name: 'pricing', nullable: true, description: 'What the model costs.' })
  async pricingOfModel(@Root() { id }: Model, @Ctx() context: SubgraphContext): Promise<Pricing> {
    requireCaller(context)
    const pricing = await pricingOf(context, id)
    if (!pricing) throw new Problem('model_not_found')
    return pricing
  }
}
