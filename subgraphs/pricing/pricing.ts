import { Field, Int, ObjectType } from 'type-graphql'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import {
  openPresenter,
  type PricedRoute,
  type PricingRecord,
  type PricingRate as RateRecord,
} from '../../domain/pricing/present-pricing.ts'
import { pricedParameters } from '../../domain/pricing/priced-parameters.ts'
import { extendedEntity } from '../runtime/entity-reference.ts'
import { DateTime, Json, Rate } from '../runtime/scalars.ts'
import { Modality, Vendor } from '../runtime/shared-enums.ts'

/** The model of the subgraph `models`. This subgraph adds its prices. */
export const Model = extendedEntity('Model')

@ObjectType({ description: 'The price of one unit.' })
export class PricingRate {
  @Field(() => String, {
    description:
      'The billed item, for example `input`: a kind of token, a kind of output, or the reason for a surcharge.',
  })
  of!: string

  @Field(() => String, {
    description: 'The unit to which the price applies, for example `1M tokens` or `second`.',
  })
  unit!: string

  @Field(() => Rate, { description: 'The charged price per unit, in US dollars.' })
  price!: number

  @Field(() => Rate, { description: 'The price per unit before the discount, in US dollars.' })
  listPrice!: number

  @Field(() => Json, {
    nullable: true,
    description:
      'The parameter values for which the price applies, by parameter. `null` means that it always applies.',
  })
  when!: object | null

  @Field(() => Int, {
    nullable: true,
    description:
      'The number of prompt tokens above which the price applies. `null` means that it applies to any number.',
  })
  abovePromptTokens!: number | null
}

function presentRate({ list_price, above_prompt_tokens, ...rest }: RateRecord): PricingRate {
  return { ...rest, listPrice: list_price, abovePromptTokens: above_prompt_tokens }
}

@ObjectType({ description: 'A service tier, which a request can choose with `service_tier`.' })
class PricingServiceTier {
  @Field(() => String, { description: 'The tier, as in `service_tier` of a request.' })
  tier!: string

  @Field(() => Int, {
    description: 'The price of a request that is served in the tier, in percent of the rates.',
  })
  percent!: number
}

@ObjectType({ description: 'A discount on the list price.' })
class PricingDiscount {
  @Field(() => Int, { description: 'The discount, in percent of the list price.' })
  percent!: number

  @Field(() => Int, { description: 'The charged price, in percent of the list price.' })
  chargedPercent!: number
}

@ObjectType({ description: 'The prices of cached input, in US dollars per unit.' })
class PricingCache {
  @Field(() => Rate, {
    nullable: true,
    description: 'The price of a unit that is read from the cache. `null` if the model has none.',
  })
  read!: number | null

  @Field(() => Rate, {
    nullable: true,
    description: 'The price of a unit that is written to the cache. `null` if the model has none.',
  })
  write!: number | null

  @Field(() => Int, { description: 'The minimum number of prompt tokens for caching.' })
  minimumTokens!: number
}

@ObjectType({
  description:
    'The prices per unit from one day until another, in some hours of each day, or both, in UTC. Exactly one period applies at any time.',
})
class PricingPeriod {
  @Field(() => String, {
    nullable: true,
    description: 'The first day of the prices, for example `2027-01-01`. `null` if they have no beginning.',
  })
  from!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The day on which the prices no longer apply. `null` if they have no end.',
  })
  until!: string | null

  @Field(() => [String], {
    nullable: true,
    description:
      'The hours of the day, for example `01:00-04:00`, of which 04:00 is not part. `22:00-06:00` crosses midnight. `null` means all hours.',
  })
  hours!: string[] | null

  @Field(() => [PricingRate], { description: 'The prices per unit.' })
  rates!: PricingRate[]
}

/** The fields that the prices at every vendor have. */
const fields = {
  periods: Field(() => [PricingPeriod], {
    description: 'All prices per unit by time. Empty if they do not depend on the time.',
  }),
  surcharges: Field(() => [PricingRate], {
    description: 'Prices that are added to the rates if their conditions are met.',
  }),
  discount: Field(() => PricingDiscount, {
    nullable: true,
    description: 'The discount. `null` if there is none.',
  }),
}

function presentPrices({ periods, surcharges, discount }: Omit<PricedRoute, 'vendor' | 'rates'>) {
  return {
    periods: periods.map(({ rates, ...validity }) => ({ ...validity, rates: rates.map(presentRate) })),
    surcharges: surcharges.map(presentRate),
    discount: discount && { percent: discount.percent, chargedPercent: discount.charged_percent },
  }
}

@ObjectType({
  description:
    'The prices of a model at another vendor that serves it. A request is charged the prices of the vendor that served it.',
})
class PricingRoute {
  @Field(() => Vendor, { description: 'The vendor.' })
  vendor!: string

  @Field(() => [PricingRate], { description: 'The prices per unit. Empty if they depend on the time.' })
  rates!: PricingRate[]

  @fields.periods
  periods!: PricingPeriod[]

  @fields.surcharges
  surcharges!: PricingRate[]

  @fields.discount
  discount!: PricingDiscount | null
}

function presentRoute({ vendor, rates, ...prices }: PricedRoute): PricingRoute {
  return { ...presentPrices(prices), vendor, rates: rates.map(presentRate) }
}

@ObjectType({ description: 'The prices of a model.' })
export class Pricing {
  @Field(() => Model, { nullable: true, description: 'The model.' })
  model!: { id: string } | null

  @Field(() => String, { description: "The model's ID in inference requests." })
  inferenceId!: string

  @Field(() => Modality, { description: "The model's kind of output." })
  modality!: string

  @Field(() => String, { description: 'The currency. Always `USD`.' })
  currency!: string

  @Field(() => String, {
    description: 'The unit to which the rates apply, for example `1M tokens` or `second`.',
  })
  unit!: string

  @Field(() => [PricingRate], { description: 'The prices per unit that apply now.' })
  rates!: PricingRate[]

  @fields.periods
  periods!: PricingPeriod[]

  @fields.surcharges
  surcharges!: PricingRate[]

  @Field(() => [PricingServiceTier], {
    description: 'The service tiers, the standard tier first. Empty if the model has none.',
  })
  serviceTiers!: PricingServiceTier[]

  @fields.discount
  discount!: PricingDiscount | null

  @Field(() => PricingCache, {
    nullable: true,
    description: 'The prices of cached input. `null` if the model has no prices for it.',
  })
  cache!: PricingCache | null

  @Field(() => [String], {
    description:
      'The names of the parameters on which the price of a request depends, in the order of `Model.parameters`. Empty for chat models.',
  })
  pricedParameters!: string[]

  @Field(() => [PricingRoute], {
    description: 'The prices at the other vendors that serve the model. Empty if it has one vendor.',
  })
  routes!: PricingRoute[]

  @Field(() => DateTime, { description: 'When the prices were last changed.' })
  updatedAt!: Date
}

/** Presents the prices of a model now. */
export const presentPricing = openPresenter(
  (record: PricingRecord, { entry, updatedAt }: ModelRecord): Pricing => ({
    ...presentPrices(record),
    model: { id: record.model_id },
    inferenceId: record.model,
    modality: record.modality,
    currency: record.currency,
    unit: record.unit,
    rates: record.rates.map(presentRate),
    serviceTiers: record.service_tiers,
    cache: record.cache && {
      read: record.cache.read,
      write: record.cache.write,
      minimumTokens: record.cache.minimum_tokens,
    },
    pricedParameters: pricedParameters(entry),
    routes: record.routes.map(presentRoute),
    updatedAt,
  }),
)
