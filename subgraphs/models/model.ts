import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { type ModelInput as AnyInput, inputsOf } from '../../domain/models/model-inputs.ts'
import type { ModelRecord } from '../../domain/models/model-records.ts'
import type { Modality as AnyModality } from '../../schema/catalog/entry.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count, DateTime, Json } from '../runtime/scalars.ts'
import { Modality, Vendor } from '../runtime/shared-enums.ts'

export const ModelInput = graphEnum<AnyInput>('ModelInput', {
  description: 'A kind of content that a model accepts.',
  values: {
    text: 'Text.',
    image: 'Images.',
    document: 'Documents: PDF and plain text.',
    audio: 'Audio.',
    video: 'Videos.',
  },
})

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

  @Field(() => [ModelInput], { description: 'The kinds of content that the model accepts.' })
  inputs!: AnyInput[]

  @Field(() => Int, {
    nullable: true,
    description:
      'The maximum number of tokens of prompt and answer together. `null` for image, video and audio models.',
  })
  contextTokens!: number | null

  @Field(() => Int, {
    nullable: true,
    description: 'The maximum number of tokens of an answer. `null` for models without answers of tokens.',
  })
  maxOutputTokens!: number | null

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
    inputs: inputsOf(entry),
    contextTokens: entry.modality === 'chat' ? entry.chat.context_tokens : null,
    maxOutputTokens: entry.task === 'chat' && entry.modality === 'chat' ? entry.chat.max_output_tokens : null,
    revision,
    createdAt,
    updatedAt,
  }
}
