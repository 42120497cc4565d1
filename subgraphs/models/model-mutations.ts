import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Arg, Ctx, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql'
import { changeModels } from '../../domain/models/change-models.ts'
import { Problem } from '../../schema/errors.ts'
import { requireOperator } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Model, presentModel } from './model.ts'
import {
  ChangeModelsInput,
  changeOf,
  DeleteModelInput,
  PutModelInput,
  putOf,
  removalOf,
  UpdateModelInput,
  updateOf,
} from './model-inputs.ts'

@ObjectType({ description: 'The model as it is now.' })
class PutModelPayload {
  @Field(() => Model, { description: 'The model.' })
  model!: Model
}

@ObjectType({ description: 'The model as it is now.' })
class UpdateModelPayload {
  @Field(() => Model, { description: 'The model.' })
  model!: Model
}

@ObjectType({ description: 'The model that was removed.' })
class DeleteModelPayload {
  @Field(() => ID, { description: 'The id that it had.' })
  deletedModelId!: string
}

@ObjectType({ description: 'What the changes led to.' })
class ChangeModelsPayload {
  @Field(() => [Model], { description: 'The models that were put or updated, as they are now.' })
  models!: Model[]

  @Field(() => [ID], { description: 'The ids of those that were removed.' })
  deletedModelIds!: string[]
}

/** A change by one request. */
const maxChanges = 100

/** How operators change the catalogue (docs/behaviour.md, Operators). */
@Resolver()
export class ModelMutations {
  @Mutation(() => PutModelPayload, {
    nullable: true,
    description: 'Adds a model to the catalogue, or gives it another entry.',
  })
  async putModel(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => PutModelInput, { description: 'The entry.' }) input: PutModelInput,
  ): Promise<PutModelPayload> {
    const [record] = await change(context, [putOf(input)])
    return { model: presentModel(record!) }
  }

  @Mutation(() => UpdateModelPayload, {
    nullable: true,
    description: 'Changes what is given and leaves the rest: whether a model can be called, and is popular.',
  })
  async updateModel(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateModelInput, { description: 'Which model, and what is changed.' })
    input: UpdateModelInput,
  ): Promise<UpdateModelPayload> {
    const [record] = await change(context, [updateOf(input)])
    return { model: presentModel(record!) }
  }

  @Mutation(() => DeleteModelPayload, {
    nullable: true,
    description: 'Takes a model out of the catalogue. What was begun with it ends as usual.',
  })
  async deleteModel(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteModelInput, { description: 'Which model.' }) input: DeleteModelInput,
  ): Promise<DeleteModelPayload> {
    await change(context, [removalOf(input)])
    return { deletedModelId: input.id }
  }

  @Mutation(() => ChangeModelsPayload, {
    nullable: true,
    description: 'Changes several models, all or none: what they say of each other must be right afterwards.',
  })
  async changeModels(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ChangeModelsInput, { description: 'The changes.' }) { changes }: ChangeModelsInput,
  ): Promise<ChangeModelsPayload> {
    if (changes.length < 1 || changes.length > maxChanges) {
      const message = `changes must have 1 to ${maxChanges} items.`
      throw new Problem('validation_failed', { param: 'changes', message })
    }
    const records = await change(context, changes.map(changeOf))
    return {
      models: records.map(presentModel),
      deletedModelIds: changes.flatMap(({ delete: removal }) => removal?.id ?? []),
    }
  }
}

function change(context: SubgraphContext, changes: Parameters<typeof changeModels>[1]['changes']) {
  requireOperator(context)
  return changeModels(context, { changes, action: context.action })
}
