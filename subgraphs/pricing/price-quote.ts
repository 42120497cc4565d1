import { Arg, Ctx, Field, ID, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql'
import { quotePrice } from '../../domain/models/quote-price.ts'
import { visibilityOf } from '../../domain/models/reachable-models.ts'
import { keepTerms, readTerms } from '../../domain/pricing/kept-terms.ts'
import { CostTerm } from '../logs/cost-term.ts'
import { Json, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

const count = (what: string) =>
  Field(() => Int, {
    nullable: true,
    description: `The number of ${what}, 0 to 1,000,000,000. Defaults to 0. Only for chat and embedding models.`,
  })

@InputType({ description: 'A request that has not been sent.' })
class PriceQuoteInput {
  @Field(() => ID, { description: "The model's catalogue ID, or its ID in inference requests." })
  model!: string

  @count('prompt tokens, including cached tokens')
  promptTokens?: number | null

  @count('prompt tokens that are read from the cache')
  cachedTokens?: number | null

  @count('prompt tokens that are written to the cache')
  cacheCreationTokens?: number | null

  @count('completion tokens, including reasoning tokens')
  completionTokens?: number | null

  @count('images in the prompt')
  images?: number | null

  @Field(() => String, {
    nullable: true,
    description: 'The service tier in which the vendor serves the request. Defaults to the standard tier.',
  })
  serviceTier?: string | null

  @Field(() => Json, {
    nullable: true,
    description:
      'The parameters of an image, video or audio request, by name. Of the required ones, only those in `Pricing.pricedParameters` are needed.',
  })
  parameters?: unknown
}

@ObjectType({ description: 'The price that a request would have now.' })
class PriceQuote {
  @Field(() => Money, { description: 'The price, in US dollars.' })
  cost!: bigint

  @Field(() => [CostTerm], { description: 'The items of the price, as in the request log.' })
  costTerms!: CostTerm[]
}

@Resolver()
export class PriceQuoteResolver {
  @Query(() => PriceQuote, {
    nullable: true,
    description:
      'Calculates the price that a request would have now, exactly as it would be charged. Nothing is held or charged.',
  })
  async priceQuote(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => PriceQuoteInput, { description: 'The request.' })
    { model, serviceTier, parameters, ...counts }: PriceQuoteInput,
  ): Promise<PriceQuote> {
    const { amountNanos, terms } = await quotePrice(context, {
      model,
      usage: Object.fromEntries(Object.entries(counts).filter(([, value]) => value != null)),
      serviceTier: serviceTier ?? undefined,
      parameters: parameters ?? undefined,
      visibility: visibilityOf(context),
    })
    return { cost: amountNanos, costTerms: readTerms(keepTerms(terms)) ?? [] }
  }
}
