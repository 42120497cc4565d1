import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Directive, Field, ID, InputType } from 'type-graphql'
import type { ModelChange } from '../../domain/models/change-models.ts'
import type { Path } from '../../domain/models/checks/report.ts'
import { Count, Json } from '../runtime/scalars.ts'

@InputType({ description: 'What a change of a model is made on.' })
class ModelRevisionInput {
  @Field(() => Count, {
    description:
      'The `revision` of the model that the change is made on, 0 for one that is not in the catalogue: where somebody changed it meanwhile, this changes nothing.',
  })
  expectedRevision!: number
}

@InputType({ description: 'A model, as it shall be.' })
export class PutModelInput extends ModelRevisionInput {
  @Field(() => Json, {
    description:
      'Its whole entry as a file of the catalogue has it, without references: what `CatalogueEntry.declaration` answers.',
  })
  entry!: unknown
}

@InputType({ description: 'Which model is changed, and how. What is left out stays as it is.' })
export class UpdateModelInput extends ModelRevisionInput {
  @Field(() => ID, { description: 'Its catalogue id.' })
  id!: string

  @Field(() => Boolean, { nullable: true, description: 'Whether it can be called.' })
  isActive?: boolean | null

  @Field(() => Boolean, { nullable: true, description: 'Whether it is on the curated list.' })
  isPopular?: boolean | null
}

@InputType({ description: 'Which model is removed.' })
export class DeleteModelInput extends ModelRevisionInput {
  @Field(() => ID, { description: 'Its catalogue id.' })
  id!: string
}

@InputType({ description: 'One change of a model: exactly one of these.' })
@Directive('@oneOf')
export class ModelChangeInput {
  @Field(() => PutModelInput, { nullable: true, description: 'A new model, or another entry.' })
  put?: PutModelInput

  @Field(() => UpdateModelInput, { nullable: true, description: 'What of a model changes.' })
  update?: UpdateModelInput

  @Field(() => DeleteModelInput, { nullable: true, description: 'A model that is removed.' })
  delete?: DeleteModelInput
}

@InputType({ description: 'Changes that are made together.' })
export class ChangeModelsInput {
  @Field(() => [ModelChangeInput], { description: '1 to 100 changes, each of another model.' })
  changes!: ModelChangeInput[]
}

export function putOf({ entry, expectedRevision }: PutModelInput, at: Path = []): ModelChange {
  return { kind: 'put', at, entry, expectedRevision }
}

export function updateOf(input: UpdateModelInput, at: Path = []): ModelChange {
  const { id, expectedRevision, isActive, isPopular } = input
  const given = { isActive: isActive ?? undefined, isPopular: isPopular ?? undefined }
  return { kind: 'update', at, id, expectedRevision, ...given }
}

export function removalOf({ id, expectedRevision }: DeleteModelInput, at: Path = []): ModelChange {
  return { kind: 'remove', at, id, expectedRevision }
}

/** One of several changes, as the verb takes it. */
export function changeOf(input: ModelChangeInput, index: number): ModelChange {
  const at = ['changes', index]
  if (input.put) return putOf(input.put, [...at, 'put'])
  if (input.update) return updateOf(input.update, [...at, 'update'])
  if (input.delete) return removalOf(input.delete, [...at, 'delete'])
  throw new Error('The graph lets exactly one of them through')
}
