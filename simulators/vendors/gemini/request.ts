import type { Exchange } from '../../server/exchange.ts'
import { checkRules, type Rule, readShape } from '../../server/shape.ts'
import { type Size, sizeOf } from '../media/sizes.ts'
import { checkSalt } from '../model/check-salt.ts'
import { anyObject, type Prompt, type PromptTool, type ToolChoice } from '../model/prompt.ts'
import type { Settings } from '../simulator.ts'
import { refuseField, refuseMismatch } from './host.ts'
import { bodyShape, type GenerateBody, type ModelTraits, traitsOf } from './shape.ts'
import { checkSignatures, checkTurns, presentTurn, readTurns } from './turns.ts'

interface GenerateRequest {
  readonly prompt: Prompt
  readonly traits: ModelTraits
  /** The number of likely tokens to present for each token; undefined if logprobs are not requested. */
  readonly topLogprobs: number | undefined
  /** The size of the image to generate; undefined for a text answer. */
  readonly imageSize: Size | undefined
}

/** Parses a request as strictly as Gemini does. Throws Gemini's error for an invalid one. */
export function parseGenerateRequest(
  { json }: Exchange,
  { model, caller, settings }: { model: string; caller: string; settings: Settings },
): GenerateRequest {
  const traits = traitsOf(model)
  const read = readShape(bodyShape, json, refuseMismatch)
  const config = read.generationConfig ?? {}
  const tools = readTools(read)
  checkRules({ read, config, tools, ...traits }, rules, refuseField)
  const turns = readTurns(read)
  checkTurns(turns)
  if (traits.isSigning) checkSignatures(turns, { caller, model })
  const system = read.systemInstruction?.parts.map(({ text }) => text) ?? []
  const systemMessages = system.map(
    text => ({ role: 'system', text, media: [], calls: [], callId: undefined }) as const,
  )
  const { thinkingLevel: level, thinkingBudget: budget } = config.thinkingConfig ?? {}
  const isJson = config.responseMimeType === 'application/json'
  const prompt: Prompt = {
    model,
    messages: [...systemMessages, ...turns.flatMap(presentTurn)],
    tools,
    toolChoice: readToolChoice(read),
    allowsParallelCalls: true,
    answerSchema: isJson ? (config.responseJsonSchema ?? anyObject) : undefined,
    maxTokens: config.maxOutputTokens ?? undefined,
    stops: config.stopSequences ?? [],
    candidateCount: config.candidateCount ?? 1,
    // A dynamic budget is -1.
    reasoningTokens: level ? tokensOfLevel[level] : Math.min((budget ?? 0) >>> 0, maxBudgetTokens),
    seed: config.seed ?? undefined,
  }
  checkSalt(prompt, settings)
  const { imageSize, aspectRatio } = config.imageConfig ?? {}
  return {
    prompt,
    traits,
    topLogprobs: config.responseLogprobs ? (config.logprobs ?? 0) : undefined,
    imageSize: config.responseModalities?.includes('IMAGE') ? sizeOf(imageSize, aspectRatio) : undefined,
  }
}

const tokensOfLevel = { MINIMAL: 16, LOW: 32, MEDIUM: 64, HIGH: 128 }
/** Maximum number of thinking tokens by budget, and the number for a dynamic one. */
const maxBudgetTokens = 64

interface Checked extends ModelTraits {
  readonly read: GenerateBody
  readonly config: NonNullable<GenerateBody['generationConfig']>
  readonly tools: readonly PromptTool[]
}

const calling = ({ toolConfig }: GenerateBody) => toolConfig?.functionCallingConfig

const rules: readonly Rule<Checked>[] = [
  [
    'contents.parts',
    'Unknown name "id"',
    ({ read, isSigning }) =>
      read.contents
        .flatMap(({ parts }) => parts)
        .some(({ functionCall: call, functionResponse: response }) =>
          isSigning ? false : (call?.id ?? response?.id ?? response?.parts),
        ),
  ],
  [
    'tools.function_declarations',
    'Duplicate function declaration, or a schema that is not of type object',
    ({ tools }) =>
      new Set(tools.map(({ name }) => name)).size < tools.length ||
      tools.some(({ schema }) => Object(schema).type !== 'object'),
  ],
  [
    'tool_config.function_calling_config',
    'allowed_function_names needs the mode ANY or VALIDATED, and declared functions.',
    ({ read, tools }) => {
      const { mode, allowedFunctionNames: names = [] } = calling(read) ?? {}
      const isDeclared = (name: string) => tools.some(tool => tool.name === name)
      return (
        (mode && tools.length === 0) ||
        !names?.every(name => /ANY|VALID/.test(mode ?? '') && isDeclared(name))
      )
    },
  ],
  [
    'generation_config.response_mime_type',
    'Schemas need application/json, which earlier models do not support with functions.',
    ({ config: { responseJsonSchema: schema, responseMimeType: type }, tools, isSigning }) =>
      type === 'application/json' ? !isSigning && tools.length > 0 : schema,
  ],
  [
    'generation_config.response_modalities',
    'Model does not support the requested response modalities.',
    ({ config: { responseModalities }, isDrawing }) =>
      responseModalities?.some(modality => modality !== 'TEXT' && (modality === 'AUDIO' || !isDrawing)),
  ],
  [
    'generation_config.logprobs',
    'requires response_logprobs to be true.',
    ({ config }) => config.logprobs != null && !config.responseLogprobs,
  ],
  [
    'generation_config.thinking_config',
    'Only one of thinking budget and thinking level can be set, and a level from generation 3.',
    ({ config: { thinkingConfig: thinking }, isSigning }) =>
      thinking?.thinkingLevel && (!isSigning || thinking.thinkingBudget != null),
  ],
]

function readTools({ tools }: GenerateBody): PromptTool[] {
  return (tools ?? [])
    .flatMap(tool => tool.functionDeclarations ?? [])
    .map(({ name, description, parametersJsonSchema: schema }) => ({
      ...{ name, description: description ?? '', schema: schema ?? { type: 'object', properties: {} } },
    }))
}

const modes = { AUTO: 'auto', VALIDATED: 'auto', ANY: 'required', NONE: 'none' } as const

function readToolChoice(read: GenerateBody): ToolChoice {
  const { mode = 'AUTO', allowedFunctionNames: names } = calling(read) ?? {}
  return { mode: modes[mode], names: names?.length ? names : undefined }
}
