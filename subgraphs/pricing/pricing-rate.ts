import { Field, Float, Int, ObjectType } from 'type-graphql'
import type { PricingRate as RateRecord } from '../../domain/pricing/present-pricing.ts'
import { Json } from '../runtime/types/json.ts'

/** Prices are numbers of dollars, not `Dollars`: a discounted price of a million units may have more decimals. */
@ObjectType({ description: 'What one unit costs.' })
export class PricingRate {
  @Field(() => String, {
    description: 'What is billed: a kind of token, a modality, or what a surcharge is for.',
  })
  of!: string

  @Field(() => String, { description: 'What the price is per, e.g. `1M tokens` or `second`.' })
  unit!: string

  @Field(() => Float, { description: 'Dollars per unit, as charged.' })
  price!: number

  @Field(() => Float, { description: 'Dollars per unit, before the discount.' })
  listPrice!: number

  @Field(() => Json, {
    nullable: true,
    description: 'Applies when the parameters have these values; null: always.',
  })
  when!: object | null

  @Field(() => Int, { nullable: true, description: 'Applies to requests whose prompt is longer than this.' })
  abovePromptTokens!: number | null
}

export function presentRate({ list_price, above_prompt_tokens, ...rest }: RateRecord): PricingRate {
  return { ...rest, listPrice: list_price, abovePromptTokens: above_prompt_tokens }
}
