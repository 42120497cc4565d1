import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Args, ArgsType, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { platformId } from '../../domain/audit/record-action.ts'
import {
  countRevisions,
  listRevisions,
  type ModelRevision,
  revisionOrder,
} from '../../domain/models/history/list-revisions.ts'
import type { Origin } from '../../domain/models/model-records.ts'
import { declarationOf } from '../../domain/models/read-declaration.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { Count, DateTime, Json } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { ModelOrigin } from './model-origin.ts'

@ObjectType({ description: 'A revision of a catalogue entry: the entry that a model had from then on.' })
class CatalogueRevision {
  @Field(() => Count, { description: "The catalogue's revision with which the entry changed." })
  revision!: number

  @Field(() => ModelOrigin, { description: 'The source of the entry.' })
  origin!: Origin

  @Field(() => String, {
    nullable: true,
    description: 'The name of the operator who changed the model. `null` for the catalogue files.',
  })
  operator!: string | null

  @Field(() => Boolean, {
    description: 'Whether this revision deleted the model. `declaration` is then the last entry.',
  })
  isDeletion!: boolean

  @Field(() => Json, {
    description: 'The complete entry, in the format of `putModel` and of the catalogue files.',
  })
  declaration!: object

  @Field(() => DateTime, { description: 'When the entry changed.' })
  createdAt!: Date
}

function presentRevision({ revision, entry, isRemoved, ...rest }: ModelRevision): CatalogueRevision {
  return { ...rest, revision: Number(revision), isDeletion: isRemoved, declaration: declarationOf(entry) }
}

@ArgsType()
class RevisionsArgs extends ConnectionArgs {
  @Field(() => ID, { description: "The model's catalogue ID." })
  modelId!: string
}

const CatalogueRevisionConnection = connection(CatalogueRevision)

/** The query with which operators read the history of an entry (docs/behaviour.md, Operators). */
@Resolver()
export class CatalogueRevisionsResolver {
  @Query(() => CatalogueRevisionConnection, {
    nullable: true,
    description:
      'Lists the latest 200 revisions of a model, newest first, also of a deleted model. Requires an operator key.',
  })
  async catalogueRevisions(@Args(() => RevisionsArgs) args: RevisionsArgs, @Ctx() context: SubgraphContext) {
    requireOperator(context)
    const { queries } = context
    const { modelId } = args
    const slice = sliceOf(args, revisionOrder)
    const rows = await queries.run(platformId, from => listRevisions(from, { modelId, slice }))
    const isKnown =
      rows.length > 0 ||
      (await queries.run(platformId, from => countRevisions(from, { modelId, max: 1 }))) > 0
    if (!isKnown) throw new Problem('model_not_found')
    return toConnection(slice, {
      rows,
      positionOf: ({ revision }) => [String(revision)],
      present: presentRevision,
      countAll: () => queries.run(platformId, from => countRevisions(from, { modelId, max: maxPaged })),
    })
  }
}
