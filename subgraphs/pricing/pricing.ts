import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import {
  type PricingRate as RateRecord,
  presentPricing as recordOf,
} from '../../domain/pricing/present-pricing.ts'
import { DateTime, Json } from '../runtime/scalars.ts'

/**
 * Prices are numbers of dollars, not `Dollars`: a discounted price of a million units may have more decimals.
 */
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

@ObjectType({ description: 'What is taken off the list price.' })
class PricingDiscount {
  @Field(() => Int)
  percent!: number

  @Field(() => Int, { description: 'What is charged of the list price.' })
  chargedPercent!: number
}

@ObjectType({ description: 'What cached input costs, in dollars per unit.' })
class PricingCache {
  @Field(() => Float, { nullable: true })
  read!: number | null

  @Field(() => Float, { nullable: true })
  write!: number | null

  @Field(() => Int, { description: 'The shortest prompt that is cached.' })
  minimumTokens!: number
}

@ObjectType({ description: 'What a model costs.' })
export class Pricing {
  @Field(() => ID, { description: 'Catalogue id of the model.' })
  modelId!: string

  @Field(() => String, { description: 'The id used in inference requests.' })
  model!: string

  @Field(() => String)
  modality!: string

  @Field(() => String, { description: 'Always USD.' })
  currency!: string

  @Field(() => String, { description: 'What the rates are per, e.g. `1M tokens` or `second`.' })
  unit!: string

  @Field(() => [PricingRate])
  rates!: PricingRate[]

  @Field(() => [PricingRate], { description: 'Added to the rates under their conditions.' })
  surcharges!: PricingRate[]

  @Field(() => PricingDiscount, { nullable: true })
  discount!: PricingDiscount | null

  @Field(() => PricingCache, { nullable: true, description: 'Null where nothing is cached.' })
  cache!: PricingCache | null

  @Field(() => DateTime)
  updatedAt!: Date
}

export function presentPricing({ entry, updatedAt }: ModelRecord): Pricing {
  const { model_id, model, modality, currency, unit, rates, surcharges, discount, cache } = recordOf(entry, {
    updatedAt,
  })
  return {
    modelId: model_id,
    model,
    modality,
    currency,
    unit,
    rates: rates.map(presentRate),
    surcharges: surcharges.map(presentRate),
    discount: discount && { percent: discount.percent, chargedPercent: discount.charged_percent },
    cache: cache && { read: cache.read, write: cache.write, minimumTokens: cache.minimum_tokens },
    updatedAt,
  }
}
