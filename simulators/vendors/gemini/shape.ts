import { z } from 'zod'
import type { JsonRecord } from '../../server/json.ts'
import { anyRecord, anything, checked } from '../../server/shape.ts'

/** Null means absent in every field. */
const text = z
  .string()
  .refine(value => value.isWellFormed(), {
    error: 'Invalid JSON payload received. Invalid Unicode.',
    params: { isWhole: true },
  })
  .nullish()
const boolean = z.boolean().nullish()
const int32 = checked<number>('int', value => typeof value === 'number' && (value | 0) === value)
const within = (number: z.ZodType<number>, minimum: number, maximum: number) =>
  number
    .refine(
      value => value >= minimum && value <= maximum,
      `value must be in the range [${minimum}, ${maximum}].`,
    )
    .nullish()
const decimal = (minimum: number, maximum: number) => within(z.number(), minimum, maximum)
const integer = (minimum: number, maximum: number) => within(int32, minimum, maximum)
const choice = <const Values extends readonly string[]>(...values: Values) => z.enum(values).nullish()
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).nullish()
/** Whether a required value is present and not empty. The default of a required field is null. */
const isPresent = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** A field that models before generation 3 do not have. */
const unknownField = z.undefined().optional()

const inlineData = z.strictObject({ mimeType: text, data: text, displayName: anything }).nullish()
const name = text.default(null).refine(isPresent, 'Name cannot be empty.')
const response = z.custom<JsonRecord>(value => anyRecord.safeParse(value).success, 'must be a Struct.')
const responsePart = z.strictObject({ inlineData }).refine(part => part.inlineData, {
  error: "required oneof field 'data' must have one initialized field",
  path: ['data'],
})

/** Calls and responses have IDs as of generation 3. */
function partOf({ hasIds }: { hasIds: boolean }) {
  const id = hasIds ? text : unknownField
  const parts = hasIds ? listOf(responsePart) : unknownField
  return z.strictObject({
    text,
    inlineData,
    functionCall: z.strictObject({ name, args: anyRecord.nullish(), id }).nullish(),
    functionResponse: z.strictObject({ name, response, id, parts }).nullish(),
    fileData: z
      .unknown()
      .refine(value => !value, 'Unsupported file uri.')
      .optional(),
    thought: boolean,
    thoughtSignature: text,
    ...{ mediaResolution: anything, videoMetadata: anything },
  })
}

const contentOf = (part: ReturnType<typeof partOf>) =>
  z.strictObject({
    role: text,
    parts: listOf(part).default(null).refine(isPresent, 'contents.parts must not be empty.'),
  })

const functionName = z
  .preprocess(sent => sent ?? '', z.string())
  .refine(
    value => /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(value),
    'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
  )
const declaration = z
  .strictObject({
    name: functionName,
    description: text,
    ...{ parameters: anything, parametersJsonSchema: anything },
    ...{ response: anything, responseJsonSchema: anything },
  })
  .refine(
    ({ parameters, parametersJsonSchema }) => !parameters || !parametersJsonSchema,
    'parameters and parameters_json_schema are mutually exclusive.',
  )

const generationConfig = z
  .strictObject({
    temperature: decimal(0, 2),
    topP: decimal(0, 1),
    topK: integer(1, 1000),
    presencePenalty: decimal(-2, 2),
    frequencyPenalty: decimal(-2, 2),
    responseModalities: listOf(z.enum(['TEXT', 'IMAGE', 'AUDIO'])),
    stopSequences: listOf(z.string())
      .refine(stops => (stops?.length ?? 0) <= 5, 'only 5 stop sequences are supported.')
      .refine(stops => !stops?.includes(''), 'must not be empty.'),
    maxOutputTokens: integer(1, 65_536),
    candidateCount: integer(1, 8),
    seed: integer(-(2 ** 31), 2 ** 31 - 1),
    responseMimeType: choice('text/plain', 'application/json', 'text/x.enum'),
    responseSchema: anything,
    responseJsonSchema: anything,
    thinkingConfig: z
      .strictObject({
        includeThoughts: boolean,
        thinkingBudget: integer(-1, 32_768),
        thinkingLevel: choice('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
      })
      .nullish(),
    imageConfig: z
      .strictObject({
        aspectRatio: choice('1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'),
        imageSize: choice('1K', '2K', '4K'),
      })
      .nullish(),
    logprobs: integer(0, 20),
    responseLogprobs: boolean,
  })
  .refine(({ logprobs, responseLogprobs }) => logprobs == null || responseLogprobs, {
    error: 'requires response_logprobs to be true.',
    path: ['logprobs'],
  })

const callingConfig = z.strictObject({
  mode: choice('AUTO', 'ANY', 'NONE', 'VALIDATED'),
  allowedFunctionNames: listOf(z.string()),
})
const tool = z.strictObject({
  functionDeclarations: listOf(declaration),
  ...{ googleSearch: anything, codeExecution: anything, urlContext: anything },
})

/** The fields of a request. `request.ts` checks rules across fields. */
function bodyOf({ hasIds }: { hasIds: boolean }) {
  return z.strictObject({
    contents: listOf(contentOf(partOf({ hasIds })))
      .default(null)
      .refine(isPresent, 'contents is not specified'),
    systemInstruction: contentOf(partOf({ hasIds: false })).nullish(),
    tools: listOf(tool),
    toolConfig: z
      .strictObject({ functionCallingConfig: callingConfig.nullish(), retrievalConfig: anything })
      .nullish(),
    safetySettings: listOf(anything),
    generationConfig: generationConfig.nullish(),
    labels: anything,
  })
}

export const bodyShape = bodyOf({ hasIds: true })
export const earlierBodyShape = bodyOf({ hasIds: false })
export type GenerateBody = z.output<typeof bodyShape>

const image = z.strictObject({
  bytesBase64Encoded: z.base64().min(1),
  mimeType: z.string().startsWith('image/'),
})
const instance = z.strictObject({
  prompt: z.string().min(1),
  image: image.nullish(),
  lastFrame: image.nullish(),
  referenceImages: z.array(z.strictObject({ image, referenceType: z.enum(['asset', 'style']) })).nullish(),
})

/** The fields of a video request. */
export const videoShape = z.strictObject({
  instances: z.array(instance).length(1),
  parameters: z
    .strictObject({
      aspectRatio: choice('16:9', '9:16', '4:3', '1:1', '3:4', '21:9', 'adaptive'),
      durationSeconds: integer(1, 60),
      resolution: choice('720p', '1080p', '2K', '4k'),
      sampleCount: integer(1, 4),
      seed: integer(0, 2 ** 31 - 1),
      negativePrompt: text,
      personGeneration: choice('dont_allow', 'allow_adult', 'allow_all'),
      generateAudio: boolean,
    })
    .nullish(),
})

/** The abilities of a model, which follow from the generation in its name: `prism-3-pro`, `prism-2-lite`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Whether the model generates images: `vista-3`, `prism-3-image`. */
  readonly isDrawing: boolean
  /** Whether the generation is at least 3: calls have IDs and signatures, thinking has levels, JSON works with tools. */
  readonly isSigning: boolean
}

export function traitsOf(model: string): ModelTraits {
  const generation = Number(/-(\d+)/.exec(model)?.[1] ?? 3)
  return {
    isMissing: model.startsWith('missing-'),
    isDrawing: /^vista|image/.test(model),
    isSigning: generation >= 3,
  }
}
