import { Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { findModels, loadCatalogue } from '../../domain/models/model-records.ts'
import { viewerOf, visibilityOf } from '../../domain/models/reachable-models.ts'
import { Problem } from '../../schema/errors.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Model, Pricing, presentPricing } from './pricing.ts'

const recordOf = batched({
  findAll: (context, ids) => findModels(context, { ids, ...visibilityOf(context) }),
  idOf: ({ entry }) => entry.id,
})

@Resolver(() => Model)
export class PricingResolver {
  @Query(() => [Pricing], {
    name: 'prices',
    nullable: true,
    description: 'Lists the prices of all active models.',
  })
  async pricing(@Ctx() context: SubgraphContext): Promise<Pricing[]> {
    const { models } = await loadCatalogue(context, viewerOf(context))
    return models.map(model => presentPricing(context.clock, model))
  }

  @FieldResolver(() => Pricing, { name: 'pricing', nullable: true, description: "The model's prices." })
  async pricingOfModel(@Root() { id }: { id: string }, @Ctx() context: SubgraphContext): Promise<Pricing> {
    const record = await recordOf(context, id)
    if (!record) throw new Problem('model_not_found')
    return presentPricing(context.clock, record)
  }
}
