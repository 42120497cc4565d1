import type { ChatFlags } from '../../../../schema/catalog/chat-flags.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import type { ChatCall } from '../../../chat-adapter.ts'
import { chooseStops } from '../../shared/request/choose-stops.ts'
import type { GenerationConfig } from '../wire.ts'
import { chooseThinking } from './choose-thinking.ts'
import { formatAnswer } from './format-answer.ts'

/** How long, how varied, in what form and after how much thought the answer is. Throws Problem, naming the parameter. */
export function configureGeneration(call: ChatCall, request: ChatRequest): GenerationConfig {
  const { chat } = call.entry
  const choices = request.n ?? 1
  return {
    maxOutputTokens: call.outputTokens,
    ...(choices > 1 && { candidateCount: choices }),
    ...sample(request, chat),
    ...stopAt(request, chat),
    ...showLogprobs(request),
    ...formatAnswer(request, chat),
    ...chooseThinking(request, chat, call.outputTokens),
  }
}

function sample(request: ChatRequest, { sampling, max_temperature: hottest }: ChatFlags): GenerationConfig {
  const config: GenerationConfig = {}
  if (sampling && request.temperature != null) config.temperature = Math.min(request.temperature, hottest)
  if (sampling && request.top_p != null) config.topP = request.top_p
  if (request.presence_penalty != null) config.presencePenalty = request.presence_penalty
  if (request.frequency_penalty != null) config.frequencyPenalty = request.frequency_penalty
  if (request.seed != null) config.seed = Number(BigInt.asIntN(32, BigInt(request.seed)))
  return config
}

function stopAt(request: ChatRequest, chat: ChatFlags): GenerationConfig {
  const stops = chooseStops(request, chat)
  return stops ? { stopSequences: stops } : {}
}

function showLogprobs(request: ChatRequest): GenerationConfig {
  if (Reflect.get(request, 'logprobs') !== true) return {}
  const top: unknown = Reflect.get(request, 'top_logprobs') ?? 0
  if (typeof top !== 'number' || !Number.isInteger(top) || top < 0 || top > 20) {
    const message = 'top_logprobs must be a whole number from 0 to 20.'
    throw new Problem('invalid_request', { param: 'top_logprobs', message })
  }
  return { responseLogprobs: true, logprobs: top }
}
