import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { Count, DateTime, Json } from '../runtime/scalars.ts'
import { Modality, Vendor } from '../runtime/shared-enums.ts'

@ObjectType({ description: 'A model of the catalogue.' })
@Directive('@key(fields: "id")')
export class Model {
  @Field(() => ID, { description: 'Catalogue id, `<task>.<model_slug>`.' })
  id!: string

  @Field(() => String, { description: 'Its id in inference requests, `<vendor>/<model_name>`.' })
  inferenceId!: string

  @Field(() => String, { description: 'Its display name.' })
  name!: string

  @Field(() => Vendor, { description: 'Whose model it is.' })
  provider!: string

  @Field(() => Modality, { description: 'What it makes.' })
  modality!: AnyModality

  @Field(() => String, { description: 'What it is good for.' })
  description!: string

  @Field(() => [String], { description: 'Words to sort it by.' })
  tags!: string[]

  @Field(() => Boolean, { description: 'On the curated list of recommended models.' })
  isPopular!: boolean

  @Field(() => Boolean, { description: 'Whether it can be called.' })
  isActive!: boolean

  @Field(() => Json, { description: 'JSON Schema of the parameters that it accepts.' })
  parameters!: object

  @Field(() => Count, {
    description:
      'The revision of the catalogue in which its entry last changed: what a change by an operator expects.',
  })
  revision!: bigint

  @Field(() => DateTime, { description: 'When it joined the catalogue.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When its entry last changed.' })
  updatedAt!: Date
}

export function presentModel({ entry, revision, createdAt, updatedAt }: ModelRecord): Model {
  const { id, model, name, provider, modality, description, tags, parameters } = entry
  return {
    id,
    inferenceId: model,
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
