import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { findModel, type Origin } from '../../domain/models/model-records.ts'
import { declarationOf } from '../../domain/models/read-declaration.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import { Json } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Model, presentModel } from './model.ts'
import { ModelOrigin } from './model-origin.ts'

@ObjectType({ description: 'The catalogue entry of a model, for operators.' })
class CatalogueEntry {
  @Field(() => Model, { description: 'The model. Changes of the entry must pass its `revision`.' })
  model!: Model

  @Field(() => ModelOrigin, { description: 'The source of the current entry.' })
  origin!: Origin

  @Field(() => Json, {
    description: 'The complete entry, in the format of `putModel` and of the catalogue files.',
  })
  declaration!: object
}

/** The query with which operators read an entry before they change it. */
@Resolver(() => CatalogueEntry)
export class CatalogueEntryResolver {
  @Query(() => CatalogueEntry, {
    nullable: true,
    description:
      'Returns the catalogue entry of a model, including inactive models. Requires an operator key.',
  })
  async catalogueEntry(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The model's catalogue ID, or its ID in inference requests." })
    id: string,
  ): Promise<CatalogueEntry> {
    requireOperator(context)
    const record = await findModel(context, { id, inactiveToo: true })
    if (!record) throw new Problem('model_not_found')
    const { entry, origin } = record
    return { model: presentModel(record), origin, declaration: declarationOf(entry) }
  }
}
