import { z } from 'zod'
import type { JsonRecord } from '../../server/json.ts'
import { anyRecord, anything, checked } from '../../server/shape.ts'

/** Null means the same as absent, everywhere. What must be there is null by default, and then refused. */
const text = z
  .string()
  .refine(value => value.isWellFormed(), {
    error: 'Invalid JSON payload received. Invalid Unicode.',
    params: { isWhole: true },
  })
  .nullish()
const boolean = z.boolean().nullish()
const int32 = checked<number>('int', value => typeof value === 'number' && (value | 0) === value)
const bounded = (number: z.ZodType<number>, least: number, most: number) =>
  number
    .refine(value => value >= least && value <= most, `value must be in the range [${least}, ${most}].`)
    .nullish()
const decimal = (least: number, most: number) => bounded(z.number(), least, most)
const integer = (least: number, most: number) => bounded(int32, least, most)
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).nullish()
const texts = listOf(z.string())

/** A name that models of this generation do not know. */
const unknownName = z.undefined().optional()

const inlineData = z.strictObject({ mimeType: text, data: text, displayName: anything }).nullish()
const name = text.default(null).refine(value => Boolean(value), 'Name cannot be empty.')
const callFields = { name, args: anyRecord.nullish() }
const responseFields = {
  name,
  response: z.custom<JsonRecord>(value => anyRecord.safeParse(value).success, 'must be a Struct.'),
}
const shownPart = z.strictObject({ inlineData }).refine(part => part.inlineData, {
  error: "required oneof field 'data' must have one initialized field",
  path: ['data'],
})

/** Calls and responses have ids from the third generation of models on. */
function partOf({ hasIds }: { hasIds: boolean }) {
  const id = hasIds ? text : unknownName
  const parts = hasIds ? listOf(shownPart) : unknownName
  return z.strictObject({
    text,
    inlineData,
    functionCall: z.strictObject({ ...callFields, id }).nullish(),
    functionResponse: z.strictObject({ ...responseFields, id, parts }).nullish(),
    fileData: z
      .unknown()
      .refine(value => !value, 'Unsupported file uri.')
      .optional(),
    thought: boolean,
    thoughtSignature: text,
    mediaResolution: anything,
    videoMetadata: anything,
  })
}

const contentOf = (part: ReturnType<typeof partOf>) =>
  z.strictObject({
    role: text,
    parts: listOf(part)
      .default(null)
      .refine(parts => parts?.length, 'contents.parts must not be empty.'),
  })

const declaration = z
  .strictObject({
    name: text
      .default(null)
      .refine(
        value => /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(value ?? ''),
        'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
      ),
    description: text,
    parameters: anything,
    parametersJsonSchema: anything,
    response: anything,
    responseJsonSchema: anything,
  })
  .refine(
    ({ parameters, parametersJsonSchema }) => !parameters || !parametersJsonSchema,
    'parameters and parameters_json_schema are mutually exclusive.',
  )

const aspectRatio = z
  .enum(['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'])
  .nullish()

const generationConfig = z
  .strictObject({
    temperature: decimal(0, 2),
    topP: decimal(0, 1),
    topK: integer(1, 1000),
    presencePenalty: decimal(-2, 2),
    frequencyPenalty: decimal(-2, 2),
    responseModalities: listOf(z.enum(['TEXT', 'IMAGE', 'AUDIO'])),
    stopSequences: texts
      .refine(stops => (stops?.length ?? 0) <= 5, 'only 5 stop sequences are supported.')
      .refine(stops => !stops?.includes(''), 'must not be empty.'),
    maxOutputTokens: integer(1, 65_536),
    candidateCount: integer(1, 8),
    seed: integer(-(2 ** 31), 2 ** 31 - 1),
    responseMimeType: z.enum(['text/plain', 'application/json', 'text/x.enum']).nullish(),
    responseSchema: anything,
    responseJsonSchema: anything,
    thinkingConfig: z
      .strictObject({
        includeThoughts: boolean,
        thinkingBudget: integer(-1, 32_768),
        thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).nullish(),
      })
      .nullish(),
    imageConfig: z.strictObject({ aspectRatio, imageSize: z.enum(['1K', '2K', '4K']).nullish() }).nullish(),
    logprobs: integer(0, 20),
    responseLogprobs: boolean,
  })
  .refine(({ logprobs, responseLogprobs }) => logprobs == null || responseLogprobs, {
    error: 'requires response_logprobs to be true.',
    path: ['logprobs'],
  })

const callingConfig = z.strictObject({
  mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']).nullish(),
  allowedFunctionNames: texts,
})

/** What a request may hold, field by field; `request.ts` checks how the fields go together. */
function bodyOf({ hasIds }: { hasIds: boolean }) {
  return z.strictObject({
    contents: listOf(contentOf(partOf({ hasIds })))
      .default(null)
      .refine(list => list?.length, 'contents is not specified'),
    systemInstruction: contentOf(partOf({ hasIds: false })).nullish(),
    tools: listOf(
      z.strictObject({
        functionDeclarations: listOf(declaration),
        googleSearch: anything,
        codeExecution: anything,
        urlContext: anything,
      }),
    ),
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

/** What a model can do follows from its name, whose first number is its generation: `prism-3-pro`, `prism-2-lite`. */
export interface ModelTraits {
  readonly isMissing: boolean
  /** Makes images: `vista-3`, `prism-3-image`. */
  readonly isDrawing: boolean
  /** Since 3: calls have ids and signatures, and thinking has levels. Before, JSON and tools exclude each other. */
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
