import { z } from 'zod'
import { anyRecord, anything, boolean, choice, decimal, integer } from '../../server/shape.ts'

/** Null means absent in every field. */
const text = z
  .string()
  .refine(value => value.isWellFormed(), 'Invalid Unicode.')
  .nullish()
const required = z.string().min(1, 'must not be empty.')
const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).nullish()

const mimeTypes =
  /^(image\/(png|jpeg|webp|heic|heif)|audio\/(wav|mp3|mpeg|aiff|aac|ogg|flac)|video\/mp4|application\/pdf|text\/plain)$/
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/, 'Base64 decoding failed')
const inlineData = z.strictObject({
  mimeType: z.string().regex(mimeTypes, 'Unsupported MIME type'),
  data: base64,
  displayName: anything,
})

/** A part contains exactly one kind of data. */
const part = z
  .strictObject({
    text,
    inlineData: inlineData.nullish(),
    functionCall: z.strictObject({ name: required, args: anyRecord.nullish(), id: text }).nullish(),
    functionResponse: z
      .strictObject({
        ...{ name: required, response: anyRecord, id: text },
        parts: listOf(z.strictObject({ inlineData })),
      })
      .nullish(),
    thought: boolean,
    thoughtSignature: text,
    ...{ mediaResolution: anything, videoMetadata: anything },
  })
  .refine(
    sent =>
      [sent.text, sent.inlineData, sent.functionCall, sent.functionResponse].filter(data => data != null)
        .length === 1,
    "oneof field 'data' must have one initialized field",
  )
export type WirePart = z.output<typeof part>

const content = z.strictObject({ role: choice('user', 'model'), parts: z.array(part).min(1) })
const declaration = z.strictObject({
  name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/, 'Invalid function name.'),
  description: text,
  parametersJsonSchema: anyRecord.nullish(),
  ...{ response: anything, responseJsonSchema: anything },
})

const generationConfig = z.strictObject({
  temperature: decimal(0, 2),
  topP: decimal(0, 1),
  topK: integer(1, 1000),
  presencePenalty: decimal(-2, 2),
  frequencyPenalty: decimal(-2, 2),
  responseModalities: listOf(z.enum(['TEXT', 'IMAGE', 'AUDIO'])),
  stopSequences: z.array(required).max(5).nullish(),
  maxOutputTokens: integer(1, 65_536),
  candidateCount: integer(1, 8),
  seed: integer(-(2 ** 31), 2 ** 31 - 1),
  responseMimeType: choice('text/plain', 'application/json', 'text/x.enum'),
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

const callingConfig = z.strictObject({
  mode: z.enum(['AUTO', 'ANY', 'NONE', 'VALIDATED']),
  allowedFunctionNames: listOf(z.string()),
})
const tool = z.strictObject({
  functionDeclarations: listOf(declaration),
  ...{ googleSearch: anything, codeExecution: anything, urlContext: anything },
})

/** The fields of a request. `request.ts` checks rules across fields. */
export const bodyShape = z.strictObject({
  contents: z.array(content).min(1),
  systemInstruction: z
    .strictObject({ role: anything, parts: z.array(z.strictObject({ text: required })) })
    .nullish(),
  tools: listOf(tool),
  toolConfig: z
    .strictObject({ functionCallingConfig: callingConfig.nullish(), retrievalConfig: anything })
    .nullish(),
  safetySettings: listOf(anything),
  generationConfig: generationConfig.nullish(),
  labels: anything,
})
export type GenerateBody = z.output<typeof bodyShape>

const image = z.strictObject({
  bytesBase64Encoded: z.base64().min(1),
  mimeType: z.string().startsWith('image/'),
})
const instance = z.strictObject({
  prompt: required,
  image: image.nullish(),
  lastFrame: image.nullish(),
  referenceImages: listOf(z.strictObject({ image, referenceType: z.enum(['asset', 'style']) })),
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
  /** Whether the model generates images: `vista-3`, `prism-3-image`. */
  readonly isDrawing: boolean
  /** Whether the generation is at least 3: calls have IDs and signatures, thinking has levels, JSON works with tools. */
  readonly isSigning: boolean
}

export function traitsOf(model: string): ModelTraits {
  const generation = Number(/-(\d+)/.exec(model)?.[1] ?? 3)
  return { isDrawing: /^vista|image/.test(model), isSigning: generation >= 3 }
}
