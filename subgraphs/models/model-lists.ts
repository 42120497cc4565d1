import { Field, InputType } from 'type-graphql'
import { viewerOf } from '../../domain/models/reachable-models.ts'
import { type ModelFilter, maxSearchLength, popularFirst } from '../../domain/models/search-models.ts'
import type { KeysetOrder } from '../../platform/postgres/keyset.ts'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { checkList, orderInput } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Modality, Vendor } from '../runtime/shared-enums.ts'

@InputType({
  description: "Filters models. A model must match every given field, and any one of a field's values.",
})
export class ModelFilterInput {
  @Field(() => [Modality], { nullable: true, description: 'Models with one of these modalities.' })
  modalities?: AnyModality[] | null

  @Field(() => [Vendor], { nullable: true, description: 'Models of one of these vendors.' })
  providers?: string[] | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the models are on the curated list. `null` lists both.',
  })
  isPopular?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the models are active, so that requests can use them. Defaults to `true`. Only operators can list inactive models.',
  })
  isActive?: boolean | null

  @Field(() => String, {
    nullable: true,
    description: `Words in the name or description, or their beginnings. At most ${maxSearchLength} characters.`,
  })
  search?: string | null
}

/** Parses the filter. Throws `validation_failed` or `forbidden` with the name of the argument. */
export function filterOf(filter: ModelFilterInput | null | undefined, context: SubgraphContext): ModelFilter {
  const { modalities, providers, isPopular, isActive, search } = filter ?? {}
  if (isActive === false && !context.operator) {
    const message = 'Only operators can list inactive models.'
    throw new Problem('forbidden', { param: 'filter.isActive', message })
  }
  if (search && search.length > maxSearchLength)
    refuseParam('filter.search', `must have at most ${maxSearchLength} characters`)
  return {
    tasks: checkList(modalities, 'filter.modalities'),
    providers: checkList(providers, 'filter.providers'),
    popular: isPopular ?? undefined,
    active: isActive ?? undefined,
    search: search ?? undefined,
    viewer: viewerOf(context),
  }
}

const orders = {
  popularity: popularFirst,
  created_at: popularFirst.slice(1),
  id: [{ name: 'id', type: 'text', direction: 'desc' }],
} as const satisfies Record<string, KeysetOrder>

type ModelOrderField = keyof typeof orders

const ModelOrderFieldEnum = graphEnum<ModelOrderField>('ModelOrderField', {
  description: 'The field by which models are sorted.',
  values: {
    popularity: 'The curated list first, then by the time at which models were added to the catalogue.',
    created_at: 'The time at which models were added to the catalogue.',
    id: 'The catalogue ID.',
  },
})

export const ModelOrderInput = orderInput('Model', { of: 'models', fields: ModelOrderFieldEnum })
export type ModelOrderInput = InstanceType<typeof ModelOrderInput>

/** Returns the columns to sort by. By default, popular models are first. */
export function orderOf(input: ModelOrderInput | null | undefined): KeysetOrder {
  const { field, direction } = input ?? { field: 'popularity', direction: 'desc' }
  const order: KeysetOrder = orders[field]
  if (direction === 'desc') return order
  return order.map(column => ({ ...column, direction: column.direction === 'desc' ? 'asc' : 'desc' }))
}
