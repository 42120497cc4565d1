import type { ChatCall, Target } from '../../chat-adapter.ts'
import { sendThroughBedrock } from '../../clouds/bedrock/send-through-bedrock.ts'
import type { UpstreamRequest } from '../../http/exchange.ts'
import { chooseVersion, type WireVersion } from './choose-version.ts'
import { fitCall } from './fit-call.ts'
import { locateMessages } from './locate-messages.ts'
import { translateRequest } from './request/translate-request.ts'

/**
 * The request as the vendor wants it. A credential with a region is one of Bedrock. The header `session-id` keeps one
 * end user's cached prefixes from another's (contract: Prompt caching).
 * Throws Problem, naming the parameter, for what the vendor cannot do.
 */
export function buildRequest(call: ChatCall, target: Target): UpstreamRequest | Promise<UpstreamRequest> {
  const version = chooseVersion(call.entry.chat)
  const headers = {
    'content-type': 'application/json',
    accept: call.request.stream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'anthropic-version': version,
    'session-id': call.cacheToken,
  }
  const body = translateRequest(fitCall(call, target), target)
  if (target.config?.region !== undefined) return sendThroughBedrock(target, { headers, body })
  return {
    ...locateMessages(target.baseUrl),
    headers: { ...headers, ...authorize(version, target.apiKey) },
    body: JSON.stringify(body),
  }
}

/** Each version carries the key as the vendor's own clients of that version do. */
function authorize(version: WireVersion, apiKey: string): Record<string, string> {
  return version === '2023-06-01' ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}
