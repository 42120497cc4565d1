import type { Exchange } from '../../server/exchange.ts'
import { isRecord } from '../../server/json.ts'
import { readShape } from '../../server/shape.ts'
import type { Size } from '../media/make-png.ts'
import { sizeOf } from '../media/sizes.ts'
import {
  type AnswerFormat,
  anyObject,
  type Prompt,
  type PromptTool,
  type ToolChoice,
} from '../model/prompt.ts'
import type { Settings } from '../simulator.ts'
import { refuse, refuseIssue, refuseModel, refuseSense } from './errors.ts'
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

/** A request that Gemini would take, read. */
export interface GenerateRequest {
  readonly prompt: Prompt
  readonly traits: ModelTraits
  /** How many likely tokens to show at each place; undefined where none are wanted. */
  readonly topLogprobs: number | undefined
  /** Of the image to make; undefined where the answer is text. */
  readonly imageSize: Size | undefined
}

/** Reads a request as strictly as the vendor does; throws the error that it would answer. */
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
    refuseIssue,
  )
  const system = readParts(read.systemInstruction ?? {}, 'system_instruction')
  if (system.some(part => !part.text)) throw refuseSense('system_instruction', 'only text is supported.')
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
    mayCallInParallel: true,
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
 * For a host that keeps its users' caches apart by a salt: everything that is cached must begin with it, which is
 * the system instruction and the tools, whichever the model reads first. No vendor checks that; a setting does.
 */
function checkSalt(system: readonly Part[], [first]: readonly PromptTool[]): void {
  const salt = system[0]?.text ?? ''
  if (!/^<!--[^>]+-->$/.test(salt))
    throw refuse(400, 'simulator: the system instruction does not begin with a salt comment')
  if (system.slice(1).some(part => part.text.includes(salt)))
    throw refuse(400, 'simulator: the salt comment stands twice in the system instruction')
  if (first && !first.description.startsWith(salt))
    throw refuse(400, 'simulator: the first function is not described by the salt comment first')
}

/** The functions on offer, of all tools together. */
function readTools({ tools }: GenerateBody): PromptTool[] {
  const names = new Set<string>()
  return (tools ?? []).flatMap(({ functionDeclarations }, index) =>
    (functionDeclarations ?? []).map((declaration, position) => {
      const { name, description, parameters, parametersJsonSchema } = declaration
      const schema = parametersJsonSchema ?? parameters ?? { type: 'object', properties: {} }
      const at = `tools[${index}].function_declarations[${position}].parameters`
      if (!isRecord(schema) || String(schema.type).toLowerCase() !== 'object')
        throw refuseSense(at, 'schema at top-level must be of type object.')
      if (names.has(name ?? '')) throw refuse(400, `Duplicate function declaration found: ${name}`)
      names.add(name ?? '')
      return { name: name ?? '', description: description ?? '', schema }
    }),
  )
}

const modes = { AUTO: 'auto', VALIDATED: 'auto', ANY: 'required', NONE: 'none' } as const

/** The `toolConfig`: whether a function may or must be called, and which. */
function readToolChoice({ toolConfig }: GenerateBody, tools: readonly PromptTool[]): ToolChoice {
  const calling = toolConfig?.functionCallingConfig
  if (!calling) return { mode: 'auto', names: undefined }
  if (tools.length === 0) throw refuse(400, 'Function calling config is set without function_declarations.')
  const mode = calling.mode ?? 'AUTO'
  const names = calling.allowedFunctionNames ?? []
  const at = 'tool_config.function_calling_config.allowed_function_names'
  if (names.length > 0 && mode !== 'ANY' && mode !== 'VALIDATED')
    throw refuseSense(at, 'allowed_function_names is only supported when mode is ANY or VALIDATED.')
  const unknown = names.find(name => !tools.some(tool => tool.name === name))
  if (unknown !== undefined) throw refuseSense(at, `${unknown} is not in function_declarations.`)
  return { mode: modes[mode], names: names.length > 0 ? names : undefined }
}

type Config = GenerateBody['generationConfig']

function readAnswerFormat(
  config: Config,
  { traits, hasTools }: { traits: ModelTraits; hasTools: boolean },
): AnswerFormat {
  const { responseMimeType, responseSchema, responseJsonSchema } = config ?? {}
  if (responseSchema && responseJsonSchema)
    throw refuseSense('generation_config', 'response_schema and response_json_schema are mutually exclusive.')
  const schema = responseJsonSchema ?? responseSchema ?? undefined
  if (responseMimeType !== 'application/json') {
    if (schema === undefined) return { kind: 'text' }
    const complaint = 'response_mime_type must be application/json when a schema is set.'
    throw refuseSense('generation_config.response_json_schema', complaint)
  }
  if (hasTools && !traits.isSigning)
    throw refuse(400, "Function calling with a response mime type: 'application/json' is unsupported")
  return { kind: 'json', schema: schema ?? anyObject }
}

const tokensOfLevel = { MINIMAL: 16, LOW: 32, MEDIUM: 64, HIGH: 128 }
/** What the simulator's models spend of a large budget, or of one that they set themselves. */
const tokensOfBudget = 64

/** How many tokens are thought before the answer: by level for models that know them, else by budget. */
function readThinking(config: Config, { isSigning }: ModelTraits): number {
  const level = config?.thinkingConfig?.thinkingLevel ?? undefined
  const budget = config?.thinkingConfig?.thinkingBudget ?? undefined
  if (level !== undefined && budget !== undefined)
    throw refuse(400, 'You can only set one of thinking budget and thinking level.')
  if (level !== undefined && !isSigning) throw refuse(400, 'Thinking level is not supported for this model.')
  if (level !== undefined) return tokensOfLevel[level]
  return budget === -1 ? tokensOfBudget : Math.min(budget ?? 0, tokensOfBudget)
}
