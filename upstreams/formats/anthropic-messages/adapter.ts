import { isRecord } from '../../../platform/checks.ts'
import type { ChatAdapter, ChatCall, UpstreamRequest } from '../../chat-adapter.ts'
import type { Target } from '../../targets.ts'
import { readAnswer } from './answer.ts'
import { readFailure, withoutThinking } from './failure.ts'
import { translateRequest } from './request.ts'
import { isCompilable } from './schema.ts'
import { openTranslator } from './stream.ts'
import { chooseVersion, type WireVersion } from './wire.ts'

/** The Messages wire format (vendor_b). */
export const anthropicMessages: ChatAdapter = {
  buildRequest,
  readAnswer: (body, call) => readAnswer(body, withSupportedFormat(call)),
  openTranslator: call => openTranslator(withSupportedFormat(call)),
  readFailure,
  withoutRefused: withoutThinking,
}

/**
 * Builds the vendor's request. The header `session-id` separates the cached prompts of end users. Throws Problem with
 * the parameter that the vendor does not support.
 */
export function buildRequest(call: ChatCall, target: Target): UpstreamRequest {
  const version = chooseVersion(call.entry.chat)
  return {
    ...locateMessages(target.baseUrl),
    headers: {
      'content-type': 'application/json',
      accept: call.request.stream ? 'text/event-stream' : 'application/json',
      'accept-encoding': 'identity',
      'anthropic-version': version,
      'session-id': call.cacheToken,
      ...authorize(version, target.apiKey),
    },
    body: translateRequest(withSupportedFormat(call), target),
  }
}

/** Returns the path of messages below a base address, which can include `/v1`. */
function locateMessages(baseUrl: string): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl)
  return { origin, path: `${pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/messages` }
}

/** Each version reads the key from the header that the vendor's own clients of that version send. */
function authorize(version: WireVersion, apiKey: string): Record<string, string> {
  return version === '2023-06-01' ? { 'x-api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}

/**
 * Returns the call. If the vendor cannot compile the answer's schema, because it is recursive, very large, or allows
 * any properties, a forced tool call carries it.
 */
export function withSupportedFormat(call: ChatCall): ChatCall {
  const { chat } = call.entry
  const { response_format: format } = call.request
  if (chat.json.schema !== 'native' || format?.type !== 'json_schema' || mayCompile(format)) return call
  const json = { ...chat.json, schema: 'tool' as const }
  return { ...call, entry: { ...call.entry, chat: { ...chat, json } } }
}

/** A format without a schema is refused when the format is translated. */
function mayCompile(format: object): boolean {
  const details: unknown = Reflect.get(format, 'json_schema')
  const schema = isRecord(details) ? details.schema : undefined
  return !isRecord(schema) || isCompilable(schema)
}
