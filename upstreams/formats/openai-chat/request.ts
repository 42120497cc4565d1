import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { isUnpriced } from '../shared/paid-parameters.ts'
import {
  chooseEffort,
  chooseStops,
  dropIgnored,
  refuseEffort,
  refuseParameters,
} from '../shared/parameters.ts'
import { chooseFormat, jsonInstruction, refuseFormat } from '../shared/response-format.ts'
import { saltPrefix } from './caching.ts'
import { translateMessages } from './messages.ts'
import { rolesFor, translateStreamOptions, withoutQuirks } from './quirks.ts'
import { chooseServiceTier, withoutTier } from './service-tier.ts'
import { translateTools } from './tools.ts'

/** Fields that refer to an account at vendor_a. Other vendors of the format ignore or refuse them. */
const vendorAFields: ReadonlySet<string> = new Set([
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'user',
])

type Body = ChatRequest & { metadata?: unknown }

/**
 * Builds the body of a request: the vendor's name of the model, and the client's fields, including unknown ones, as far
 * as the model's flags allow. Throws Problem with the parameter that the vendor does not support.
 */
export function translateRequest(call: ChatCall, target: Pick<Target, 'byokId' | 'quirks'>): ChatRequest {
  const { chat } = call.entry
  const tier = chooseServiceTier(call, target)
  const request = dropIgnored(tier === undefined ? call.request : withoutTier(call.request), chat)
  refuseParameters(request, chat, target)
  const isSalted = chat.cache_isolation === 'salt'
  const isLimitedByOlderName = chat.output_limit_field === 'max_tokens'
  const { quirks = [] } = target
  const { messages, response_format } = formatAnswer(request, chat)
  const keepsReasoning = isSalted && !quirks.includes('no_reasoning_content')
  const offer = withoutQuirks(translateTools(request), quirks)
  const prompt = {
    messages: translateMessages(rolesFor(messages, quirks), { keepsReasoning }),
    tools: offer.tools,
  }
  const salted = isSalted ? saltPrefix(prompt, call.cacheToken) : prompt
  // Undefined fields are not serialised.
  const body: Body & Record<string, unknown> = {
    ...request,
    model: call.entry.upstream.model,
    messages: salted.messages,
    tools: salted.tools,
    tool_choice: offer.tool_choice,
    parallel_tool_calls: offer.parallel_tool_calls,
    max_tokens: isLimitedByOlderName ? call.outputTokens : undefined,
    max_completion_tokens: isLimitedByOlderName ? undefined : call.outputTokens,
    temperature: chat.sampling ? clampTemperature(request, chat) : undefined,
    top_p: chat.sampling ? request.top_p : undefined,
    reasoning_effort: translateEffort(request, chat),
    response_format,
    stop: chooseStops(request, chat),
    stream_options: translateStreamOptions(request, quirks),
    prompt_cache_key: call.cacheToken,
    // A field of the Messages format. Here, `reasoning_effort` has the same meaning.
    thinking: undefined,
    // The vendor refuses metadata unless the answer is stored.
    metadata: Reflect.get(request, 'store') === true ? Reflect.get(request, 'metadata') : undefined,
  }
  for (const name in body) if (isExcludedField(name, chat, target)) body[name] = undefined
  if (tier !== undefined) body.service_tier = tier
  return body
}

/** Sends `response_format` unchanged if the model supports it. Otherwise adds an instruction as the last message. */
function formatAnswer(
  request: ChatRequest,
  chat: ChatFlags,
): Pick<ChatRequest, 'messages' | 'response_format'> {
  const format = chooseFormat(request, chat)
  if (format?.how === 'tool') throw refuseFormat('The model does not answer by a JSON schema.')
  if (format?.how !== 'instruction') return request
  return { messages: [...request.messages, { role: 'system', content: jsonInstruction }] }
}

function clampTemperature(
  { temperature }: ChatRequest,
  { max_temperature: max }: ChatFlags,
): number | undefined {
  return typeof temperature === 'number' ? Math.min(temperature, max) : undefined
}

function translateEffort(request: ChatRequest, chat: ChatFlags): string | undefined {
  const effort = chooseEffort(request, chat)
  if (typeof effort === 'number' && chat.reasoning) throw refuseEffort(chat.reasoning)
  return typeof effort === 'string' ? effort : undefined
}

/**
 * Returns the fields that are not sent. Fields that the model refuses or that cost extra have a value without effect,
 * such as `logprobs: false`, because the request would have been refused otherwise. A vendor that does not know them
 * might refuse them.
 */
function isExcludedField(name: string, chat: ChatFlags, { byokId }: Pick<Target, 'byokId'>): boolean {
  if (chat.refused_parameters.includes(name)) return true
  if (byokId === undefined && isUnpriced(name, chat)) return true
  return chat.cache_isolation === 'salt' && vendorAFields.has(name)
}
