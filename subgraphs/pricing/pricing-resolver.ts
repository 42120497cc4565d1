import { Ctx, Directive, Field, FieldResolver, ID, ObjectType, Query, Resolver, Root } from 'type-graphql'
import { findModels, loadCatalogue } from '../../domain/models/model-records.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { Pricing, presentPricing } from './pricing.ts'

/** The model of subgraph `models`: what it costs is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class Model {
  @Field(() => ID)
  id!: string
}

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
