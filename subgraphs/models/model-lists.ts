import { Field, InputType } from 'type-graphql'
import { viewerOf } from '../../domain/models/reachable-models.ts'
import { type ModelFilter, maxSearchLength, popularFirst } from '../../domain/models/search-models.ts'
import type { KeysetOrder } from '../../platform/postgres/keyset.ts'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { Problem } from '../../schema/errors.ts'
import { checkList } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Modality, OrderDirection, Vendor } from '../runtime/shared-enums.ts'

@InputType({
  description: 'Which models are wanted. Several values of one field mean any of them; fields combine.',
})
export class ModelFilterInput {
  @Field(() => [Modality], { nullable: true, description: 'What they make.' })
  modalities?: AnyModality[] | null

  @Field(() => [Vendor], { nullable: true, description: 'Whose they are.' })
  providers?: string[] | null

  @Field(() => Boolean, { nullable: true, description: 'Whether they are on the curated list.' })
  isPopular?: boolean | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether they can be called: yes unless given. Those that cannot are for operators alone.',
  })
  isActive?: boolean | null

  @Field(() => String, {
    nullable: true,
    description: `Words of the name or description, whole or begun; at most ${maxSearchLength} characters.`,
  })
  search?: string | null
}

/** Reads a filter as the verb takes it. Throws `validation_failed` or `forbidden`, naming the argument. */
export function filterOf(filter: ModelFilterInput | null | undefined, context: SubgraphContext): ModelFilter {
  const { modalities, providers, isPopular, isActive, search } = filter ?? {}
  if (isActive === false && !context.operator) {
    const message = 'Only operators list models that cannot be called.'
    throw new Problem('forbidden', { param: 'filter.isActive', message })
  }
  if (search && search.length > maxSearchLength) {
    const message = `filter.search must have at most ${maxSearchLength} characters.`
    throw new Problem('validation_failed', { param: 'filter.search', message })
  }
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
  description: 'What a list of models is ordered by.',
  values: {
    popularity: 'Whether they are on the curated list, then when they joined the catalogue.',
    created_at: 'When they joined the catalogue.',
    id: 'Their catalogue id.',
  },
})

@InputType({ description: 'The order of a list of models.' })
export class ModelOrderInput {
  @Field(() => ModelOrderFieldEnum, { description: 'What it is ordered by.' })
  field!: ModelOrderField

  @Field(() => OrderDirection, { description: 'Which way it runs.' })
  direction!: 'asc' | 'desc'
}

/** The columns of an order; popular models first unless one is given. */
export function orderOf(input: ModelOrderInput | null | undefined): KeysetOrder {
  const { field, direction } = input ?? { field: 'popularity', direction: 'desc' }
  const order: KeysetOrder = orders[field]
  if (direction === 'desc') return order
  return order.map(column => ({ ...column, direction: column.direction === 'desc' ? 'asc' : 'desc' }))
}
