import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../../platform/is-record.ts'
import { ChatRequest, type ContentPart, type Message } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../../upstream-failure.ts'
import { kindOfStatus, readRetryAfter, readText } from '../shared/failure.ts'
import { translateRequest } from './request.ts'

/**
 * An answer with an error status, its parameter named as the client of `call` knows it. A refused credential,
 * an unknown model and a used-up quota are ours to mend.
 */
export function readFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  call: ChatCall,
): UpstreamFailure {
  const said = nameIt(detailsOf(body), call)
  const details = { ...said, status, retryAfterSeconds: readRetryAfter(headers) }
  return new UpstreamFailure(kindOf(status, details.code), details)
}

/** `{"error": …}` in place of an answer, or in the middle of a stream. */
export function failureOfErrorBody(body: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', readError(body))
}

/** A used-up quota has the status of too many requests, and waiting does not help. */
function kindOf(status: number, code: string | undefined): FailureKind {
  return code === 'insufficient_quota' ? 'auth' : kindOfStatus(status)
}

function nameIt({ message, param, ...details }: FailureDetails, call: ChatCall): FailureDetails {
  if (!param) return { ...details, message, param }
  const named = nameParameter(param, call)
  return { ...details, message: message?.replaceAll(param, named), param: named }
}

function detailsOf(body: Buffer): FailureDetails {
  try {
    return readError(JSON.parse(body.toString()))
  } catch {
    return { message: readText(body) }
  }
}

function readError(body: unknown): FailureDetails {
  const error: unknown = isRecord(body) ? (body.error ?? body) : undefined
  if (!isRecord(error)) return {}
  return { message: textOf(error.message), code: textOf(error.code), param: textOf(error.param) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Where among the client's messages one that was sent stood. */
const place = Symbol('place')

/**
 * A parameter that the vendor names, as the client knows it: the vendor counts the messages that it was sent,
 * and some of them are ours (a salt, the images of a tool). Found out only when it is needed.
 */
export function nameParameter(param: string, { request, ...call }: ChatCall): string {
  const [, index, rest = ''] = /^messages\.?\[(\d+)\](.*)$/.exec(param) ?? []
  if (index === undefined) return param
  const marked = request.messages.map((message, at) => ({ ...message, [place]: at }))
  const { messages } = translateRequest({ ...call, request: { ...request, messages: marked } }, {})
  const sent = messages[Number(index)]
  if (!sent) return param
  const [, position, inside = ''] = /^\.content\.?\[(\d+)\](.*)$/.exec(rest) ?? []
  const own = position === undefined ? undefined : findPart(request.messages, partsOf(sent)[Number(position)])
  if (own) return own + inside
  const at: unknown = Reflect.get(sent, place)
  return typeof at === 'number' ? `messages[${at}]${rest}` : 'messages'
}

/** Parts are sent as they came, wherever they go. */
function findPart(messages: readonly Message[], part: ContentPart | undefined): string | undefined {
  for (const [index, message] of messages.entries()) {
    const position = part ? partsOf(message).indexOf(part) : -1
    if (position >= 0) return `messages[${index}].content[${position}]`
  }
  return undefined
}

function partsOf({ content }: Message): ContentPart[] {
  return Array.isArray(content) ? content : []
}

/**
 * What is not named by our own shape of a request, but is the vendor's to judge: without it the answer is
 * another.
 */
const fieldsOfTheVendor = [
  ...[
    'audio',
    'functions',
    'function_call',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'metadata',
    'modalities',
  ],
  ...['moderation', 'prediction', 'prompt_cache_options', 'prompt_cache_retention', 'store', 'verbosity'],
  'web_search_options',
]
const known: ReadonlySet<string> = new Set([...Object.keys(ChatRequest.properties), ...fieldsOfTheVendor])

/**
 * The call without the fields that nobody here knows, where the vendor knows one of them as little: a field
 * that other vendors drop must not be a refusal here. The vendor itself is asked first, since its fields grow
 * without us.
 */
export function withoutUnknownFields({ details }: UpstreamFailure, call: ChatCall): ChatCall | undefined {
  if (!isUnknownField(details)) return undefined
  const fields = Object.entries(call.request)
  const kept = fields.filter(([name]) => known.has(name))
  if (kept.length === fields.length) return undefined
  const { model, messages } = call.request
  return { ...call, request: { ...Object.fromEntries(kept), model, messages } }
}

function isUnknownField({ code, message = '' }: UpstreamFailure['details']): boolean {
  return code === 'unknown_parameter' || /^(Unrecognized request argument|Unknown parameter)/i.test(message)
}
