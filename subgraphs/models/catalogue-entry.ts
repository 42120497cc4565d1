import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { findModel, type Origin } from '../../domain/models/model-records.ts'
import { declarationOf } from '../../domain/models/read-declaration.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Json } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Model, presentModel } from './model.ts'

const ModelOrigin = graphEnum<Origin>('ModelOrigin', {
  description: 'Who declared a model last.',
  values: {
    files: 'The files of the catalogue: the next ones that are applied change it.',
    graph: 'An operator through the graph: files that are applied leave it alone until they say the same.',
  },
})

@ObjectType({ description: 'A model as operators declare it.' })
class CatalogueEntry {
  @Field(() => Model, { description: 'The model. A change expects its `revision`.' })
  model!: Model

  @Field(() => ModelOrigin, { description: 'Who declared it last.' })
  origin!: Origin

  @Field(() => Json, {
    description: 'The whole entry, as `putModel` takes it and a file of the catalogue has it.',
  })
  declaration!: object
}

/** What operators read before they change a model. */
@Resolver(() => CatalogueEntry)
export class CatalogueEntryResolver {
  @Query(() => CatalogueEntry, {
    nullable: true,
    description: 'What the catalogue says of a model, also of one that cannot be called.',
  })
  async catalogueEntry(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: 'Its catalogue id, or its id in inference requests.' }) id: string,
  ): Promise<CatalogueEntry> {
    requireOperator(context)
    const record = await findModel(context, { id, inactiveToo: true })
    if (!record) throw new Problem('model_not_found')
    const { entry, origin } = record
    return { model: presentModel(record), origin, declaration: declarationOf(entry) }
  }
}
