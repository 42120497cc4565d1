import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { Count, DateTime, Json } from '../runtime/scalars.ts'
import { Modality, Vendor } from '../runtime/shared-enums.ts'

@ObjectType({ description: 'A model of the catalogue.' })
@Directive('@key(fields: "id")')
export class Model {
  @Field(() => ID, { description: "The model's catalogue ID, `<task>.<model_slug>`." })
  id!: string

  @Field(() => String, { description: "The model's ID in inference requests, `<vendor>/<model_name>`." })
  inferenceId!: string

  @Field(() => [String], { description: 'Other IDs that inference requests can use for the model.' })
  aliases!: string[]

  @Field(() => String, { description: "The model's display name." })
  name!: string

  @Field(() => Vendor, { description: "The model's vendor." })
  provider!: string

  @Field(() => Modality, { description: 'The kind of output.' })
  modality!: AnyModality

  @Field(() => String, { description: 'A description of the model.' })
  description!: string

  @Field(() => [String], { description: 'Tags of the model.' })
  tags!: string[]

  @Field(() => Boolean, { description: 'Whether the model is on the curated list of recommended models.' })
  isPopular!: boolean

  @Field(() => Boolean, { description: 'Whether requests can use the model.' })
  isActive!: boolean

  @Field(() => Json, { description: "The JSON Schema of the model's parameters." })
  parameters!: object

  @Field(() => Count, {
    description:
      'The catalogue revision in which the entry last changed. Operators pass it when they change the entry.',
  })
  revision!: bigint

  @Field(() => DateTime, { description: 'When the model was added to the catalogue.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When the entry was last changed.' })
  updatedAt!: Date
}

export function presentModel({ entry, revision, createdAt, updatedAt }: ModelRecord): Model {
  const { id, model, name, provider, modality, description, tags, parameters } = entry
  return {
    id,
    inferenceId: model,
    aliases: entry.known_as ?? [],
    name,
    provider,
    modality,
    description,
    tags,
    isPopular: entry.popular,
    isActive: entry.active,
    parameters,
    revision,
    createdAt,
    updatedAt,
  }
}
