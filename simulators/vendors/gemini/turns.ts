import { createHmac } from 'node:crypto'
import type { Json } from '../../server/json.ts'
import type { PromptMessage } from '../model/prompt.ts'
import { refuse, refuseArgument } from './errors.ts'
import type { GenerateBody } from './shape.ts'

/** Consecutive contents of the same role. */
interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

export interface Part {
  readonly at: string
  readonly text: string
  readonly media: readonly string[]
  readonly call: FunctionUse | undefined
  readonly response: (FunctionUse & { media: readonly string[] }) | undefined
  readonly signature: string | undefined
}

/** A function call or response. `json` contains the arguments or the response. */
interface FunctionUse {
  readonly id: string | undefined
  readonly name: string
  readonly json: string
}

type WireContent = NonNullable<GenerateBody['contents']>[number]
type WirePart = NonNullable<WireContent['parts']>[number]
type WireCall = NonNullable<WirePart['functionCall']>
type WireBlob = NonNullable<WirePart['inlineData']>

/** Parses `contents`. Consecutive contents of the model become one turn. */
export function readTurns({ contents }: GenerateBody): Turn[] {
  const turns: Turn[] = []
  for (const [index, content] of (contents ?? []).entries()) {
    const role = content.role ?? 'user'
    if (role !== 'user' && role !== 'model') throw refuse(400, 'Please use a valid role: user, model.')
    const parts = readParts(content, `contents[${index}]`)
    const last = turns.at(-1)
    if (last?.role !== 'model' || role !== 'model') turns.push({ role, parts })
    else turns[turns.length - 1] = { role, parts: [...last.parts, ...parts] }
  }
  return turns
}

export function readParts({ role, parts }: Partial<WireContent>, at: string): Part[] {
  return (parts ?? []).map((part, index) => readPart(part, `${at}.parts[${index}]`, role === 'model'))
}

/** Parses a part, which contains exactly one kind of data. Only parts of the model can have an empty text. */
function readPart(part: WirePart, at: string, mayBeEmpty: boolean): Part {
  const { text, inlineData, functionCall: call, functionResponse: response } = part
  const data = [text, inlineData, call, response].filter(value => value != null)
  if (data.length > 1) throw refuseArgument(`${at}.data`, "oneof field 'data' is already set.")
  if (data.length === 0 || (text === '' && !mayBeEmpty))
    throw refuseArgument(`${at}.data`, "required oneof field 'data' must have one initialized field")
  const responseMedia = (response?.parts ?? []).map((attached, index) =>
    readInline(attached.inlineData ?? {}, `${at}.function_response.parts[${index}].inline_data`),
  )
  return {
    at,
    text: text ?? '',
    media: inlineData ? [readInline(inlineData, `${at}.inline_data`)] : [],
    call: call ? useOf(call, call.args ?? {}) : undefined,
    response: response ? { ...useOf(response, response.response), media: responseMedia } : undefined,
    signature: part.thoughtSignature ?? undefined,
  }
}

function useOf({ id, name }: Pick<WireCall, 'id' | 'name'>, json: Json): FunctionUse {
  return { id: id ?? undefined, name: name ?? '', json: JSON.stringify(json) }
}

const mimeTypes =
  /^(image\/(png|jpeg|webp|heic|heif)|audio\/(wav|mp3|mpeg|aiff|aac|ogg|flac)|video\/mp4|application\/pdf|text\/plain)$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/

function readInline({ mimeType, data }: WireBlob, at: string): string {
  if (!mimeTypes.test(mimeType ?? '')) throw refuseArgument(at, `Unsupported MIME type: ${mimeType ?? ''}`)
  if (!data || !base64.test(data)) throw refuseArgument(`${at}.data`, 'Base64 decoding failed')
  return data
}

/** Checks the order of turns: the user first and last, and the responses of each call in the next turn. */
export function checkTurns(turns: readonly Turn[]): void {
  if (turns[0]?.role !== 'user')
    throw refuse(400, 'Please ensure that multiturn requests alternate between user and model.')
  if (turns.at(-1)?.role !== 'user')
    throw refuse(400, 'Please ensure that multiturn requests ends with a user role or a function response.')
  for (const [index, turn] of turns.entries()) {
    checkParts(turn)
    checkCalls(turn, turns[index - 1], turns[index + 1])
    if (hasResponses(turn) && callsOf(turns[index - 1]).length === 0) {
      const message =
        'Please ensure that function response turn comes immediately after a function call turn.'
      throw refuse(400, message)
    }
  }
}

function hasResponses({ parts }: Turn): boolean {
  return parts.some(part => part.response)
}

function callsOf(turn: Turn | undefined): FunctionUse[] {
  return turn?.parts.flatMap(part => part.call ?? []) ?? []
}

function checkParts(turn: Turn): void {
  for (const { at, call, response } of turn.parts) {
    if (call && turn.role === 'user')
      throw refuseArgument(`${at}.function_call`, 'is only for the model role.')
    if (response && turn.role === 'model')
      throw refuseArgument(`${at}.function_response`, 'is only for the user role.')
  }
  if (hasResponses(turn) && turn.parts.some(part => !part.response))
    throw refuse(400, 'Please ensure that a function response turn holds function responses alone.')
}

function checkCalls(turn: Turn, before: Turn | undefined, next: Turn | undefined): void {
  const calls = callsOf(turn)
  if (calls.length === 0) return
  if (before?.role !== 'user') {
    const message =
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
    throw refuse(400, message)
  }
  const responses = next?.parts.flatMap(part => part.response ?? []) ?? []
  if (responses.length !== calls.length) {
    const message =
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    throw refuse(400, message)
  }
  for (const call of calls) {
    const index = responses.findIndex(({ name, id }) => name === call.name && id === call.id)
    if (index < 0)
      throw refuse(400, `Please ensure that the function call ${call.name} has its function response.`)
    responses.splice(index, 1)
  }
}

/** Values that Gemini accepts instead of a signature. */
const sentinels = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']

/**
 * Checks signatures for models that sign. Since the user's last message, the first call of each turn must have one.
 * Signatures of another model or for another caller are refused.
 */
export function checkSignatures(turns: readonly Turn[], signer: { caller: string; model: string }): void {
  const current = turns.findLastIndex(turn => turn.role === 'user' && !hasResponses(turn))
  for (const [index, turn] of turns.entries()) {
    for (const { call, signature } of turn.parts) {
      if (signature === undefined || sentinels.includes(signature)) continue
      if (!call || signature !== signCall(signer, call.name))
        throw refuse(400, 'Corrupted thought signature.')
    }
    const first = turn.parts.find(part => part.call)
    if (index > current && first?.call && first.signature === undefined)
      throw refuse(
        400,
        `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.call.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
      )
  }
}

/** Signs a call. Only the same model accepts the signature, and only from the same caller. */
export function signCall({ caller, model }: { caller: string; model: string }, name: string): string {
  const signed = JSON.stringify([caller, model, name])
  return createHmac('sha256', 'simulator').update(signed).digest('base64')
}

/** Converts a turn for the model. Each function response becomes a separate message. */
export function presentTurn({ role, parts }: Turn): PromptMessage[] {
  const responses = parts.flatMap(({ response }): PromptMessage[] => {
    if (!response) return []
    const { id, name, json, media } = response
    return [{ role: 'tool', text: json, media, calls: [], callId: id ?? name }]
  })
  const others = parts.filter(part => !part.response)
  const message = messageOf(role === 'model' ? 'assistant' : 'user', others)
  return others.length > 0 ? [...responses, message] : responses
}

export function messageOf(role: PromptMessage['role'], parts: readonly Part[]): PromptMessage {
  return {
    role,
    text: parts.flatMap(part => part.text || []).join('\n'),
    media: parts.flatMap(part => part.media),
    calls: parts.flatMap(({ call }) =>
      call ? [{ id: call.id ?? call.name, name: call.name, arguments: call.json }] : [],
    ),
    callId: undefined,
  }
}
