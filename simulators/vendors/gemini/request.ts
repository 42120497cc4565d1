import type { Exchange } from '../../server/exchange.ts'
import { isRecord } from '../../server/json.ts'
import { readShape } from '../../server/shape.ts'
import { type Size, sizeOf } from '../media/sizes.ts'
import {
  type AnswerFormat,
  anyObject,
  type Prompt,
  type PromptTool,
  type ToolChoice,
} from '../model/prompt.ts'
import type { Settings } from '../simulator.ts'
import { refuse, refuseArgument, refuseMismatch, refuseModel } from './errors.ts'
import { bodyShape, earlierBodyShape, type GenerateBody, type ModelTraits, traitsOf } from './shape.ts'
import {
  checkSignatures,
  checkTurns,
  messageOf,
  type Part,
  presentTurn,
  readParts,
  readTurns,
} from './turns.ts'

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
  { body }: Exchange,
  { model, caller, settings }: { model: string; caller: string; settings: Settings },
): GenerateRequest {
  const traits = traitsOf(model)
  if (traits.isMissing) throw refuseModel(model)
  if (body.json === undefined)
    throw refuse(400, 'Invalid JSON payload received. Unexpected end of string. Expected a value.')
  const read: GenerateBody = readShape(
    traits.isSigning ? bodyShape : earlierBodyShape,
    body.json,
    refuseMismatch,
  )
  const system = readParts(read.systemInstruction ?? {}, 'system_instruction')
  if (system.some(part => !part.text)) throw refuseArgument('system_instruction', 'only text is supported.')
  const turns = readTurns(read)
  checkTurns(turns)
  if (traits.isSigning) checkSignatures(turns, { caller, model })
  const tools = readTools(read)
  if (settings.requireSalt) checkSalt(system, tools)
  const { generationConfig: config } = read
  const prompt: Prompt = {
    model,
    messages: [...system.map(part => messageOf('system', [part])), ...turns.flatMap(presentTurn)],
    tools,
    toolChoice: readToolChoice(read, tools),
    allowsParallelCalls: true,
    answerFormat: readAnswerFormat(config, { traits, hasTools: tools.length > 0 }),
    maxTokens: config?.maxOutputTokens ?? undefined,
    stops: config?.stopSequences ?? [],
    candidateCount: config?.candidateCount ?? 1,
    reasoningTokens: readThinking(config, traits),
    seed: config?.seed ?? undefined,
  }
  const topLogprobs = config?.responseLogprobs ? (config.logprobs ?? 0) : undefined
  return { prompt, traits, topLogprobs, imageSize: readImageSize(config, traits) }
}

function readImageSize(config: Config, { isDrawing }: ModelTraits): Size | undefined {
  const modalities = config?.responseModalities ?? []
  if (modalities.includes('AUDIO') || (modalities.includes('IMAGE') && !isDrawing)) {
    const listed = modalities.map(modality => modality.toLowerCase()).join(', ')
    throw refuse(400, `Model does not support the requested response modalities: ${listed}`)
  }
  if (!modalities.includes('IMAGE')) return undefined
  const { imageSize = '1K', aspectRatio = '1:1' } = config?.imageConfig ?? {}
  return sizeOf(imageSize, aspectRatio)
}

/**
 * Checks the salt by which a client separates its users' caches. The system instruction and the first tool must begin
 * with it, because the model can read either first. No vendor checks this; the setting `requireSalt` does.
 */
function checkSalt(system: readonly Part[], [first]: readonly PromptTool[]): void {
  const salt = system[0]?.text ?? ''
  if (!/^<!--[^>]+-->$/.test(salt))
    throw refuse(400, 'simulator: the system instruction must begin with a salt comment')
  if (system.slice(1).some(part => part.text.includes(salt)))
    throw refuse(400, 'simulator: the system instruction must contain the salt comment once')
  if (first && !first.description.startsWith(salt))
    throw refuse(400, 'simulator: the description of the first function must begin with the salt comment')
}

function readTools({ tools }: GenerateBody): PromptTool[] {
  const names = new Set<string>()
  return (tools ?? []).flatMap(({ functionDeclarations }, index) =>
    (functionDeclarations ?? []).map((declaration, position) => {
      const { name, description, parameters, parametersJsonSchema } = declaration
      const schema = parametersJsonSchema ?? parameters ?? { type: 'object', properties: {} }
      const at = `tools[${index}].function_declarations[${position}].parameters`
      if (!isRecord(schema) || String(schema.type).toLowerCase() !== 'object')
        throw refuseArgument(at, 'schema at top-level must be of type object.')
      if (names.has(name ?? '')) throw refuse(400, `Duplicate function declaration found: ${name}`)
      names.add(name ?? '')
      return { name: name ?? '', description: description ?? '', schema }
    }),
  )
}

const modes = { AUTO: 'auto', VALIDATED: 'auto', ANY: 'required', NONE: 'none' } as const

function readToolChoice({ toolConfig }: GenerateBody, tools: readonly PromptTool[]): ToolChoice {
  const calling = toolConfig?.functionCallingConfig
  if (!calling) return { mode: 'auto' }
  if (tools.length === 0) throw refuse(400, 'Function calling config is set without function_declarations.')
  const mode = calling.mode ?? 'AUTO'
  const names = calling.allowedFunctionNames ?? []
  const at = 'tool_config.function_calling_config.allowed_function_names'
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw refuseArgument(at, 'allowed_function_names is only supported when mode is ANY or VALIDATED.')
  const unknown = names.find(name => !tools.some(tool => tool.name === name))
  if (unknown !== undefined) throw refuseArgument(at, `${unknown} is not in function_declarations.`)
  return { mode: modes[mode], names: names.length > 0 ? names : undefined }
}

type Config = GenerateBody['generationConfig']

function readAnswerFormat(
  config: Config,
  { traits, hasTools }: { traits: ModelTraits; hasTools: boolean },
): AnswerFormat {
  const { responseMimeType, responseSchema, responseJsonSchema } = config ?? {}
  if (responseSchema && responseJsonSchema)
    throw refuseArgument(
      'generation_config',
      'response_schema and response_json_schema are mutually exclusive.',
    )
  const schema = responseJsonSchema ?? responseSchema ?? undefined
  if (responseMimeType !== 'application/json') {
    if (schema === undefined) return { kind: 'text' }
    const message = 'response_mime_type must be application/json when a schema is set.'
    throw refuseArgument('generation_config.response_json_schema', message)
  }
  if (hasTools && !traits.isSigning)
    throw refuse(400, "Function calling with a response mime type: 'application/json' is unsupported")
  return { kind: 'json', schema: schema ?? anyObject }
}

const tokensOfLevel = { MINIMAL: 16, LOW: 32, MEDIUM: 64, HIGH: 128 }
/** Maximum number of thinking tokens, and the number for a dynamic budget (-1). */
const maxBudgetTokens = 64

/** Returns the number of thinking tokens: by level as of generation 3, or by budget. */
function readThinking(config: Config, { isSigning }: ModelTraits): number {
  const level = config?.thinkingConfig?.thinkingLevel ?? undefined
  const budget = config?.thinkingConfig?.thinkingBudget ?? undefined
  if (level !== undefined && budget !== undefined)
    throw refuse(400, 'You can only set one of thinking budget and thinking level.')
  if (level !== undefined && !isSigning) throw refuse(400, 'Thinking level is not supported for this model.')
  if (level !== undefined) return tokensOfLevel[level]
  return budget === -1 ? maxBudgetTokens : Math.min(budget ?? 0, maxBudgetTokens)
}
