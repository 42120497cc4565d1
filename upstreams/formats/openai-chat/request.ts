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
import { translateTools } from './tools.ts'

/**
 * What is about an account at vendor_a, and of no use to other vendors of its format: some refuse the words.
 */
const wordsOfVendorA: ReadonlySet<string> = new Set([
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
 * The body of a request under the vendor's name of the model: the client's own fields, unknown ones included,
 * as far as the model's flags allow. Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function translateRequest(call: ChatCall, target: Pick<Target, 'byokId'>): ChatRequest {
  const { chat } = call.entry
  const request = dropIgnored(call.request, chat)
  refuseParameters(request, chat, target)
  const isSalted = chat.cache_isolation === 'salt'
  const isLimitedByOlderName = chat.output_limit_field === 'max_tokens'
  const { messages, response_format } = formatAnswer(request, chat)
  const offer = translateTools(request)
  const prompt = { messages: translateMessages(messages, { isSalted }), tools: offer.tools }
  const salted = isSalted ? saltPrefix(prompt, call.cacheToken) : prompt
  // One literal, all fields named: a copy of the request that is changed afterwards takes ten times as long
  // to make.
  // Fields that are undefined do not travel.
  const body: Body = {
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
    stream_options: request.stream ? { ...request.stream_options, include_usage: true } : undefined,
    prompt_cache_key: call.cacheToken,
    // For a vendor of another format; here the effort says it.
    thinking: undefined,
    // The vendor refuses it where nothing is stored.
    metadata: Reflect.get(request, 'store') === true ? Reflect.get(request, 'metadata') : undefined,
  }
  addOthers(body, request, name => isWithheld(name, chat, target))
  return body
}

/**
 * A format that the model keeps by itself goes as it came; one that is a matter of words becomes the last of
 * them.
 */
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
  { max_temperature: hottest }: ChatFlags,
): number | undefined {
  return typeof temperature === 'number' ? Math.min(temperature, hottest) : undefined
}

function translateEffort(request: ChatRequest, chat: ChatFlags): string | undefined {
  const told = chooseEffort(request, chat)
  if (typeof told === 'number' && chat.reasoning) throw refuseEffort(chat.reasoning)
  return typeof told === 'string' ? told : undefined
}

/**
 * What was not refused of these says nothing: `logprobs: false`. A vendor that does not know them is not
 * told.
 */
function isWithheld(name: string, chat: ChatFlags, { byokId }: Pick<Target, 'byokId'>): boolean {
  if (chat.refused_parameters.includes(name)) return true
  if (byokId === undefined && isUnpriced(name, chat)) return true
  return chat.cache_isolation === 'salt' && wordsOfVendorA.has(name)
}

/**
 * Adds the fields of the request that the body does not name itself, but for what is withheld, which goes
 * from it.
 */
function addOthers(
  body: Record<string, unknown>,
  request: Record<string, unknown>,
  isLeftOut: (name: string) => boolean,
): void {
  for (const name in body) if (body[name] !== undefined && isLeftOut(name)) body[name] = undefined
  for (const name in request) if (!(name in body) && !isLeftOut(name)) body[name] = request[name]
}
