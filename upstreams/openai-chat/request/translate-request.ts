import type { ChatFlags } from '../../../schema/catalog/chat-flags.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import type { ChatCall, Target } from '../../chat-adapter.ts'
import { refuseParameters } from '../../refuse-parameters.ts'
import { chooseEffort, refuseEffort } from '../../request/choose-effort.ts'
import { chooseFormat, jsonInstruction, refuseFormat } from '../../request/choose-format.ts'
import { chooseStops } from '../../request/choose-stops.ts'
import { dropIgnored } from '../../request/drop-ignored.ts'
import { saltPrefix } from './salt-prefix.ts'
import { translateMessages } from './translate-messages.ts'
import { translateTools } from './translate-tools.ts'

/** What is about an account at vendor_a, and of no use to other vendors of its format: some refuse the words. */
const wordsOfVendorA = [
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'user',
]

/**
 * The body of a request under the vendor's name of the model: the client's own fields, unknown ones included, as far
 * as the model's flags allow. Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function translateRequest(call: ChatCall, target: Pick<Target, 'byokId'>, model: string): ChatRequest {
  const { chat } = call.entry
  const request = dropIgnored(call.request, chat)
  refuseParameters(request, chat)
  // Fields set to undefined do not travel; deleting them would cost more.
  const body: ChatRequest = {
    ...request,
    model,
    messages: translateMessages(request.messages),
    ...translateTools(request),
    ...limitOutput(call),
    ...translateSampling(request, chat),
    reasoning_effort: translateEffort(request, chat),
    stop: chooseStops(request, chat),
    stream_options: request.stream ? { ...request.stream_options, include_usage: true } : undefined,
    // A dearer tier of the vendor's is not for the platform's credential: it is charged as the catalogue says.
    service_tier: target.byokId ? request.service_tier : undefined,
    prompt_cache_key: call.cacheToken,
  }
  formatAnswer(body, chat)
  // What was not refused of these says nothing: `logprobs: false`. A model that does not know them is not told.
  dropFields(body, chat.refused_parameters)
  if (chat.cache_isolation === 'salt') return saltPrefix(dropFields(body, wordsOfVendorA), call.cacheToken)
  // The vendor refuses it where nothing is stored.
  return Reflect.get(request, 'store') === true ? body : dropFields(body, ['metadata'])
}

function limitOutput({ entry, outputTokens }: ChatCall): Partial<ChatRequest> {
  const isOlder = entry.chat.output_limit_field === 'max_tokens'
  return {
    max_tokens: isOlder ? outputTokens : undefined,
    max_completion_tokens: isOlder ? undefined : outputTokens,
  }
}

function translateSampling(
  { temperature, top_p }: ChatRequest,
  { sampling, max_temperature: hottest }: ChatFlags,
): Partial<ChatRequest> {
  if (!sampling) return { temperature: undefined, top_p: undefined }
  return { temperature: typeof temperature === 'number' ? Math.min(temperature, hottest) : undefined, top_p }
}

function translateEffort(request: ChatRequest, chat: ChatFlags): string | undefined {
  const told = chooseEffort(request, chat)
  if (typeof told === 'number' && chat.reasoning) throw refuseEffort(chat.reasoning)
  return typeof told === 'string' ? told : undefined
}

/** A format that the model keeps by itself goes as it came; one that is a matter of words becomes the last of them. */
function formatAnswer(body: ChatRequest, chat: ChatFlags): void {
  const format = chooseFormat(body, chat)
  if (format?.how === 'tool') throw refuseFormat('The model does not answer by a JSON schema.')
  if (format?.how !== 'instruction') return
  body.response_format = undefined
  body.messages = [...body.messages, { role: 'system', content: jsonInstruction }]
}

function dropFields(body: ChatRequest, names: readonly string[]): ChatRequest {
  return Object.assign(body, ...names.map(name => ({ [name]: undefined })))
}
