import type { ChatFlags, Reasoning } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import {
  chooseEffort,
  chooseStops,
  dropIgnored,
  refuseEffort,
  refuseUntranslatable,
} from '../shared/parameters.ts'
import { invalid } from '../shared/refusals.ts'
import { type ChosenFormat, chooseFormat, jsonInstruction, refuseFormat } from '../shared/response-format.ts'
import { saltPrefix } from './caching.ts'
import type { Images } from './content.ts'
import { translateMessages } from './messages.ts'
import { translateTools } from './tools.ts'
import type { GenerateBody, GenerationConfig, ThinkingConfig } from './wire.ts'

/**
 * Builds the body of a request. Only fields that the vendor knows are sent. Other fields of the client (`user`,
 * `metadata`, `store`, `service_tier`, `logit_bias`, unknown fields) are dropped. Throws Problem with the parameter
 * that the vendor does not support.
 */
export function translateRequest(
  call: ChatCall,
  { images, origin }: { images: Images; origin: string },
  target: Pick<Target, 'byokId'> = {},
): GenerateBody {
  const { chat } = call.entry
  const request = dropIgnored(call.request, chat)
  refuseUntranslatable(request, chat, target)
  const { system, turns } = translateMessages(request.messages, { chat, images, origin })
  const instruction = instructionOf(request, chat)
  if (instruction) system.push({ text: instruction })
  const body: GenerateBody = {
    contents: turns,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...translateTools(request),
    generationConfig: configureGeneration(call, request),
  }
  return chat.cache_isolation === 'salt' ? saltPrefix(body, call.cacheToken) : body
}

/** Builds `generationConfig`: length, sampling, format and thinking. Throws Problem with the parameter. */
function configureGeneration(call: ChatCall, request: ChatRequest): GenerationConfig {
  const { chat } = call.entry
  const choiceCount = request.n ?? 1
  return {
    maxOutputTokens: call.outputTokens,
    ...(choiceCount > 1 && { candidateCount: choiceCount }),
    ...samplingOf(request, chat),
    ...stopsOf(request, chat),
    ...logprobsOf(request),
    ...formatOf(request, chat),
    ...thinkingOf(request, chat, call.outputTokens),
  }
}

function samplingOf(request: ChatRequest, { sampling, max_temperature: max }: ChatFlags): GenerationConfig {
  const config: GenerationConfig = {}
  if (sampling && request.temperature != null) config.temperature = Math.min(request.temperature, max)
  if (sampling && request.top_p != null) config.topP = request.top_p
  if (request.presence_penalty != null) config.presencePenalty = request.presence_penalty
  if (request.frequency_penalty != null) config.frequencyPenalty = request.frequency_penalty
  if (request.seed != null) config.seed = Number(BigInt.asIntN(32, BigInt(request.seed)))
  return config
}

function stopsOf(request: ChatRequest, chat: ChatFlags): GenerationConfig {
  const stops = chooseStops(request, chat)
  return stops ? { stopSequences: stops } : {}
}

function logprobsOf(request: ChatRequest): GenerationConfig {
  if (Reflect.get(request, 'logprobs') !== true) return {}
  const top: unknown = Reflect.get(request, 'top_logprobs') ?? 0
  if (typeof top !== 'number' || !Number.isInteger(top) || top < 0 || top > 20) {
    throw invalid('top_logprobs', 'top_logprobs must be a whole number from 0 to 20.')
  }
  return { responseLogprobs: true, logprobs: top }
}

const json = { responseMimeType: 'application/json' }

/**
 * Returns `response_format` if the model supports it. Other models get `instructionOf` instead. Throws Problem with the
 * parameter if the model cannot produce it.
 */
function formatOf(
  request: ChatRequest,
  chat: ChatFlags,
): Pick<GenerationConfig, 'responseMimeType' | 'responseJsonSchema'> {
  const format = chooseFormat(request, chat)
  if (!format || format.how === 'instruction') return {}
  if (format.how === 'tool') throw refuseFormat('The model does not take a JSON schema.')
  return { ...json, ...schemaOf(format) }
}

/** The instruction for models that have no JSON mode. */
function instructionOf(request: ChatRequest, chat: ChatFlags): string | undefined {
  return chooseFormat(request, chat)?.how === 'instruction' ? jsonInstruction : undefined
}

function schemaOf({ schema: named }: ChosenFormat): Pick<GenerationConfig, 'responseJsonSchema'> {
  if (!named) return {}
  const { $schema: _, ...schema } = named.schema
  return { responseJsonSchema: schema }
}

const levels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'] as const satisfies ThinkingConfig['thinkingLevel'][]

/**
 * Returns how much the model thinks, from its table: a level, or a budget of tokens. Thinking counts as output, so the
 * budget is the largest in the table that leaves half of the output for the answer. `none` is accepted for models whose
 * thinking cannot be controlled. Throws `unsupported_parameter` for an effort that is not in the table.
 */
function thinkingOf(
  request: Pick<ChatRequest, 'reasoning_effort'>,
  chat: Pick<ChatFlags, 'reasoning'>,
  outputTokens: number,
): Pick<GenerationConfig, 'thinkingConfig'> {
  const effort = chooseEffort(request, chat)
  const { reasoning } = chat
  if (effort === undefined || !reasoning) return {}
  if (reasoning.carrier === 'thinking_budget' && typeof effort === 'number') {
    return { thinkingConfig: { thinkingBudget: fitBudget(effort, reasoning, outputTokens) } }
  }
  const level = levels.find(name => name === effort)
  if (reasoning.carrier === 'thinking_level' && level) return { thinkingConfig: { thinkingLevel: level } }
  throw refuseEffort(reasoning)
}

function fitBudget(requested: number, { efforts }: Reasoning, outputTokens: number): number {
  const max = Math.floor(outputTokens / 2)
  const budgets = Object.values(efforts).filter(budget => typeof budget === 'number')
  const fitting = budgets.filter(budget => budget <= Math.min(requested, max))
  return fitting.length > 0 ? Math.max(...fitting) : Math.min(requested, ...budgets)
}
