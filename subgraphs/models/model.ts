import { Directive, Field, ID, ObjectType, registerEnumType } from 'type-graphql'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { DateTime, Json } from '../runtime/scalars.ts'

/** What a model makes, in the words of `/api/v1`. */
export const Modality = {
  video: 'video',
  image: 'image',
  audio: 'audio',
  chat: 'chat',
} as const satisfies { [Name in AnyModality]: Name }

registerEnumType(Modality, { name: 'Modality', description: 'What a model makes.' })

@ObjectType({ description: 'A model of the catalogue.' })
@Directive('@key(fields: "id")')
export class Model {
  @Field(() => ID, { description: 'Catalogue id, `<task>.<model_slug>`.' })
  id!: string

  @Field(() => String, { description: 'The id used in inference requests, `<vendor>/<model_name>`.' })
  model!: string

  @Field(() => String)
  name!: string

  @Field(() => String, { description: "The vendor's label." })
  provider!: string

  @Field(() => Modality)
  modality!: keyof typeof Modality

  @Field(() => String)
  description!: string

  @Field(() => [String])
  tags!: string[]

  @Field(() => Boolean, { description: 'On the curated list of recommended models.' })
  isPopular!: boolean

  @Field(() => Boolean)
  isActive!: boolean

  @Field(() => Json, { description: 'JSON Schema of the parameters that it accepts.' })
  parameters!: object

  @Field(() => DateTime)
  createdAt!: Date

  @Field(() => DateTime)
  updatedAt!: Date
}

export function presentModel({ entry, createdAt, updatedAt }: ModelRecord): Model {
  const { id, model, name, provider, modality, description, tags, parameters } = entry
  return {
    id,
    model,
    name,
    provider,
    modality,
    description,
    tags,
    isPopular: entry.popular,
    isActive: entry.active,
    parameters,
    createdAt,
    updatedAt,
  }
}
