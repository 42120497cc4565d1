import 'reflect-metadata' // before the first decorator of type-graphql is applied
import { Directive, Field, ID, InputType } from 'type-graphql'
import type { ModelChange } from '../../domain/models/change-models.ts'
import type { ValuePath } from '../../schema/value-path.ts'
import { Count, Json } from '../runtime/scalars.ts'

@InputType({ description: 'The expected revision of a model.' })
class ModelRevisionInput {
  @Field(() => Count, {
    description:
      "The model's `revision` on which the change is based, or 0 for a model that is not in the catalogue. If the model has changed since, the request fails and changes nothing.",
  })
  expectedRevision!: number
}

@InputType({ description: 'The complete entry of a model.' })
export class PutModelInput extends ModelRevisionInput {
  @Field(() => Json, {
    description:
      'The complete entry, in the format of `CatalogueEntry.declaration`: like a catalogue file, but without references.',
  })
  entry!: unknown
}

@InputType({
  description: 'The model to update and its new settings. Settings that are left out keep their value.',
})
export class UpdateModelInput extends ModelRevisionInput {
  @Field(() => ID, { description: "The model's catalogue ID." })
  id!: string

  @Field(() => Boolean, { nullable: true, description: 'Whether requests can use the model.' })
  isActive?: boolean | null

  @Field(() => Boolean, { nullable: true, description: 'Whether the model is on the curated list.' })
  isPopular?: boolean | null
}

@InputType({ description: 'The model to delete.' })
export class DeleteModelInput extends ModelRevisionInput {
  @Field(() => ID, { description: "The model's catalogue ID." })
  id!: string
}

@InputType({ description: 'One change of a model. Set exactly one field.' })
@Directive('@oneOf')
export class ModelChangeInput {
  @Field(() => PutModelInput, { nullable: true, description: 'The model to add or replace.' })
  put?: PutModelInput

  @Field(() => UpdateModelInput, { nullable: true, description: 'The model to update.' })
  update?: UpdateModelInput

  @Field(() => DeleteModelInput, { nullable: true, description: 'The model to delete.' })
  delete?: DeleteModelInput
}

@InputType({ description: 'Changes that are applied in one transaction.' })
export class ChangeModelsInput {
  @Field(() => [ModelChangeInput], { description: 'The changes, 1 to 100, each of a different model.' })
  changes!: ModelChangeInput[]
}

export function putOf({ entry, expectedRevision }: PutModelInput, at: ValuePath = []): ModelChange {
  return { kind: 'put', at, entry, expectedRevision }
}

export function updateOf(input: UpdateModelInput, at: ValuePath = []): ModelChange {
  const { id, expectedRevision, isActive, isPopular } = input
  const given = { isActive: isActive ?? undefined, isPopular: isPopular ?? undefined }
  return { kind: 'update', at, id, expectedRevision, ...given }
}

export function removalOf({ id, expectedRevision }: DeleteModelInput, at: ValuePath = []): ModelChange {
  return { kind: 'remove', at, id, expectedRevision }
}

/** Converts one item of `changes`. */
export function changeOf(input: ModelChangeInput, index: number): ModelChange {
  const at = ['changes', index]
  if (input.put) return putOf(input.put, [...at, 'put'])
  if (input.update) return updateOf(input.update, [...at, 'update'])
  if (input.delete) return removalOf(input.delete, [...at, 'delete'])
  throw new Error('@oneOf guarantees exactly one of put, update and delete')
}
