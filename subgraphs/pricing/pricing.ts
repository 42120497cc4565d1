import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import {
  type PricingRate as RateRecord,
  presentPricing as recordOf,
} from '../../domain/pricing/present-pricing.ts'
import { DateTime, Json, Rate } from '../runtime/scalars.ts'
import { Modality } from '../runtime/shared-enums.ts'

/** The model of subgraph `models`: what it costs is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class Model {
  @Field(() => ID)
  id!: string
}

@ObjectType({ description: 'What one unit costs.' })
export class PricingRate {
  @Field(() => String, {
    description: 'What is billed: a kind of token, a modality, or what a surcharge is for.',
  })
  of!: string

  @Field(() => String, { description: 'What the price is per, e.g. `1M tokens` or `second`.' })
  unit!: string

  @Field(() => Rate, { description: 'Dollars per unit, as charged.' })
  price!: number

  @Field(() => Rate, { description: 'Dollars per unit, before the discount.' })
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
  @Field(() => Int, { description: 'What is taken off, in percent.' })
  percent!: number

  @Field(() => Int, { description: 'What is charged of the list price, in percent.' })
  chargedPercent!: number
}

@ObjectType({ description: 'What cached input costs, in dollars per unit.' })
class PricingCache {
  @Field(() => Rate, { nullable: true, description: 'What reading a cached unit costs.' })
  read!: number | null

  @Field(() => Rate, { nullable: true, description: 'What writing a unit to the cache costs.' })
  write!: number | null

  @Field(() => Int, { description: 'The shortest prompt that is cached.' })
  minimumTokens!: number
}

@ObjectType({ description: 'What a model costs.' })
export class Pricing {
  @Field(() => Model, { nullable: true, description: 'The model.' })
  model!: Model | null

  @Field(() => String, { description: 'The id of the model in inference requests.' })
  inferenceId!: string

  @Field(() => Modality, { description: 'What the model makes.' })
  modality!: string

  @Field(() => String, { description: 'Always USD.' })
  currency!: string

  @Field(() => String, { description: 'What the rates are per, e.g. `1M tokens` or `second`.' })
  unit!: string

  @Field(() => [PricingRate], { description: 'What a unit costs, by what is billed and when.' })
  rates!: PricingRate[]

  @Field(() => [PricingRate], { description: 'Added to the rates under their conditions.' })
  surcharges!: PricingRate[]

  @Field(() => PricingDiscount, { nullable: true, description: 'Null where there is none.' })
  discount!: PricingDiscount | null

  @Field(() => PricingCache, { nullable: true, description: 'Null where nothing is cached.' })
  cache!: PricingCache | null

  @Field(() => DateTime, { description: 'When the prices last changed.' })
  updatedAt!: Date
}

/** Presented once each: parsing dozens of prices costs more than the rest of a list of models. */
const presented = new WeakMap<ModelRecord, Pricing>()

export function presentPricing(record: ModelRecord): Pricing {
  const known = presented.get(record)
  if (known) return known
  const pricing = present(record)
  presented.set(record, pricing)
  return pricing
}

function present({ entry, updatedAt }: ModelRecord): Pricing {
  const { model_id, model, modality, currency, unit, rates, surcharges, discount, cache } = recordOf(entry, {
    updatedAt,
  })
  return {
    model: { id: model_id },
    inferenceId: model,
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
