import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Arg, Ctx, Field, ID, Mutation, ObjectType, Resolver } from 'type-graphql'
import { changeModels } from '../../domain/models/change-models.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
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

@ObjectType({ description: 'The result of adding or replacing a model.' })
class PutModelPayload {
  @Field(() => Model, { description: 'The model.' })
  model!: Model
}

@ObjectType({ description: 'The result of updating a model.' })
class UpdateModelPayload {
  @Field(() => Model, { description: 'The model.' })
  model!: Model
}

@ObjectType({ description: 'The result of deleting a model.' })
class DeleteModelPayload {
  @Field(() => ID, { description: 'The catalogue ID of the deleted model.' })
  deletedModelId!: string
}

@ObjectType({ description: 'The result of changing several models.' })
class ChangeModelsPayload {
  @Field(() => [Model], { description: 'The models that were added, replaced or updated.' })
  models!: Model[]

  @Field(() => [ID], { description: 'The catalogue IDs of the deleted models.' })
  deletedModelIds!: string[]
}

/** Maximum number of changes in one request. */
const maxChanges = 100

/** Mutations with which operators change the catalogue (docs/behaviour.md, Operators). */
@Resolver()
export class ModelMutations {
  @Mutation(() => PutModelPayload, {
    nullable: true,
    description: 'Adds a model to the catalogue or replaces its entry. Requires an operator key.',
  })
  async putModel(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => PutModelInput, { description: 'The entry and the expected revision.' })
    input: PutModelInput,
  ): Promise<PutModelPayload> {
    const [record] = await change(context, [putOf(input)])
    return { model: presentModel(record!) }
  }

  @Mutation(() => UpdateModelPayload, {
    nullable: true,
    description:
      'Updates whether a model is active and whether it is popular. Settings that are left out keep their value. Requires an operator key.',
  })
  async updateModel(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateModelInput, { description: 'The model and its new settings.' })
    input: UpdateModelInput,
  ): Promise<UpdateModelPayload> {
    const [record] = await change(context, [updateOf(input)])
    return { model: presentModel(record!) }
  }

  @Mutation(() => DeleteModelPayload, {
    nullable: true,
    description:
      'Deletes a model from the catalogue. Requests and tasks in progress are not affected. Requires an operator key.',
  })
  async deleteModel(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => DeleteModelInput, { description: 'The model to delete.' }) input: DeleteModelInput,
  ): Promise<DeleteModelPayload> {
    await change(context, [removalOf(input)])
    return { deletedModelId: input.id }
  }

  @Mutation(() => ChangeModelsPayload, {
    nullable: true,
    description:
      'Changes several models in one transaction. References between models, such as fallbacks, must be valid afterwards. Requires an operator key.',
  })
  async changeModels(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ChangeModelsInput, { description: 'The changes.' }) { changes }: ChangeModelsInput,
  ): Promise<ChangeModelsPayload> {
    if (changes.length < 1 || changes.length > maxChanges)
      refuseParam('changes', `must have 1 to ${maxChanges} items`)
    const records = await change(context, changes.map(changeOf))
    return {
      models: records.map(presentModel),
      deletedModelIds: changes.flatMap(({ delete: removal }) => removal?.id ?? []),
    }
  }
}

function change(context: SubgraphContext, changes: Parameters<typeof changeModels>[1]['changes']) {
  const { name: operator } = requireOperator(context)
  return changeModels(context, { changes, action: context.action, operator })
}
