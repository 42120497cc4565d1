import type { IncomingHttpHeaders } from 'node:http'
import { isRecord } from '../../../platform/checks.ts'
import { ChatRequest, type ContentPart, type Message } from '../../../schema/wire/chat.ts'
import type { ChatCall } from '../../chat-adapter.ts'
import { type FailureDetails, type FailureKind, UpstreamFailure } from '../../upstream-failure.ts'
import { kindOfStatus, readDetails, readRetryAfter } from '../shared/failure.ts'
import { translateRequest } from './request.ts'

/**
 * Reads an answer with an error status. The invalid parameter is renamed to the client's parameter in `call`. The
 * operator or the credential's owner must fix a refused credential, an unknown model and an exhausted quota.
 */
export function readFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  call: ChatCall,
): UpstreamFailure {
  return failureOf(status, headers, renameParamIn(readDetails(body, readError), call))
}

/** Reads an answer with an error status of the vendor's other APIs, whose errors have the same format. */
export function readPlainFailure(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
): UpstreamFailure {
  return failureOf(status, headers, readDetails(body, readError))
}

function failureOf(status: number, headers: IncomingHttpHeaders, reported: FailureDetails): UpstreamFailure {
  const details = { ...reported, status, retryAfterSeconds: readRetryAfter(headers) }
  return new UpstreamFailure(kindOf(status, details.code), details)
}

/** Returns the failure for `{"error": …}` that replaces an answer, or that occurs in a stream. */
export function failureOfErrorBody(body: unknown): UpstreamFailure {
  return new UpstreamFailure('broken', readError(body))
}

/** An exhausted quota has the status of too many requests, but waiting does not help. */
function kindOf(status: number, code: string | undefined): FailureKind {
  return code === 'insufficient_quota' ? 'auth' : kindOfStatus(status)
}

function renameParamIn({ message, param, ...details }: FailureDetails, call: ChatCall): FailureDetails {
  if (!param) return { ...details, message, param }
  const renamed = renameParam(param, call)
  return { ...details, message: message?.replaceAll(param, renamed), param: renamed }
}

function readError(body: unknown): FailureDetails {
  const error: unknown = isRecord(body) ? (body.error ?? body) : undefined
  if (!isRecord(error)) return {}
  return {
    message: nonEmptyText(error.message),
    code: nonEmptyText(error.code),
    param: nonEmptyText(error.param),
  }
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The property of a sent message with the index of the client's message from which it was created. */
const sourceIndex = Symbol('sourceIndex')

/**
 * Returns the client's parameter for a parameter that the vendor named. The vendor counts the messages that it
 * received, some of which Rubicon added (a salt, the images of a tool). To find the client's message, the request is
 * translated again, because failures are rare.
 */
export function renameParam(param: string, { request, ...call }: ChatCall): string {
  const [, index, rest = ''] = /^messages\.?\[(\d+)\](.*)$/.exec(param) ?? []
  if (index === undefined) return param
  const marked = request.messages.map((message, place) => ({ ...message, [sourceIndex]: place }))
  const { messages } = translateRequest({ ...call, request: { ...request, messages: marked } }, {})
  const sent = messages[Number(index)]
  if (!sent) return param
  const [, position, inside = ''] = /^\.content\.?\[(\d+)\](.*)$/.exec(rest) ?? []
  const own = position === undefined ? undefined : findPart(request.messages, partsOf(sent)[Number(position)])
  if (own) return own + inside
  const at: unknown = Reflect.get(sent, sourceIndex)
  return typeof at === 'number' ? `messages[${at}]${rest}` : 'messages'
}

/** Parts are sent as the same objects, even if they are moved to another message. */
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

/** Fields that the vendor knows and Rubicon's schema does not contain. Without them, the answer would differ. */
const vendorFields = [
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
const knownFields: ReadonlySet<string> = new Set([...Object.keys(ChatRequest.properties), ...vendorFields])

/**
 * Returns the call without fields outside of Rubicon's schema, if the vendor refused one as unknown: a field that other
 * vendors ignore must not fail here. They are sent first, because the vendor keeps adding fields.
 */
export function withoutUnknownFields({ details }: UpstreamFailure, call: ChatCall): ChatCall | undefined {
  if (!isUnknownField(details)) return undefined
  const fields = Object.entries(call.request)
  const kept = fields.filter(([name]) => knownFields.has(name))
  if (kept.length === fields.length) return undefined
  const { model, messages } = call.request
  return { ...call, request: { ...Object.fromEntries(kept), model, messages } }
}

function isUnknownField({ code, message = '' }: UpstreamFailure['details']): boolean {
  return code === 'unknown_parameter' || /^(Unrecognized request argument|Unknown parameter)/i.test(message)
}
