import type { OutgoingHttpHeaders } from 'node:http'
import type Anthropic from '@anthropic-ai/sdk'
import type { Exchange, Refusal } from '../../server/exchange.ts'
import { type Failure, startAnswer } from '../../server/faults.ts'
import { parseJson } from '../../server/json.ts'
import { sendStream, sendWhole } from '../../server/send.ts'
import { answerPrompt } from '../model/answer-prompt.ts'
import { type Candidate, lastUserText, type Reply, type Usage } from '../model/prompt.ts'
import { hashText, splitJson, splitWords } from '../model/text.ts'
import type { Handler, Simulator } from '../simulator.ts'
import { useBreakpoints } from './cache.ts'
import { errorInAnswer } from './errors.ts'
import { parseMessageRequest } from './request.ts'

/** How a host of these models authenticates callers and presents errors. */
export interface MessagesHost {
  /** Returns the caller, which partitions the cache. Throws a `Refusal` if the credential is invalid. */
  authenticate(simulator: Simulator, exchange: Exchange): string
  /** Throws a `Refusal` if the host does not have the model. */
  checkModel?(model: string): void
  presentHeaders(exchange: Exchange): OutgoingHttpHeaders
  refuseFailure(failure: Failure): Refusal
}

/** Handles `POST /v1/messages`, whole or streamed. */
export function createMessage(host: MessagesHost): Handler {
  return async (simulator, exchange) => {
    const caller = host.authenticate(simulator, exchange)
    const { prompt, traits, prefixes, isStreamed } = parseMessageRequest(exchange)
    const { model } = prompt
    host.checkModel?.(model)
    const text = lastUserText(prompt)
    const fault = await startAnswer(simulator, exchange, { model, text, refuse: host.refuseFailure })
    if (exchange.response.destroyed) return

    const reply = answerPrompt(simulator, { prompt, partition: undefined, fault })
    const session = exchange.request.headers['session-id'] ?? ''
    const partition = [caller, model, String(session)]
    const cached = useBreakpoints(simulator, {
      partition,
      prefixes,
      minimumTokens: traits.minimumCacheTokens,
    })
    const usage = reply.usage && { ...reply.usage, ...cached }
    const message = composeMessage(
      { ...reply, usage },
      { exchange, model, isRefused: fault?.name === 'refusal' },
    )
    const headers = host.presentHeaders(exchange)
    if (!isStreamed) {
      const body = presentMessage(message)
      return sendWhole(exchange, { headers, body, errorBody: errorInAnswer, fault })
    }
    await sendStream(simulator, exchange, {
      headers: {
        ...headers,
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      },
      frames: streamMessage(message, traits),
      brokenFrame: 'event: content_block_delta\ndata: {"type":"content_\n\n',
      errorFrame: `event: error\ndata: ${errorInAnswer}\n\n`,
      fault,
    })
  }
}

/** A piece of an answer. The arguments of a call are JSON text, which the token limit can truncate. */
type Piece =
  | { readonly type: 'thinking'; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly arguments: string }

/** An answer, whole or to be streamed. */
interface ComposedMessage {
  readonly id: string
  readonly model: string
  readonly pieces: readonly Piece[]
  readonly stop: Pick<Anthropic.Message, 'stop_reason' | 'stop_details' | 'stop_sequence'>
  /** Undefined for the fault `no-usage`. */
  readonly usage: Usage | undefined
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' } as const
const notStopped = { stop_reason: null, stop_details: null, stop_sequence: null }
const refused = {
  stop_reason: 'refusal',
  stop_details: { type: 'refusal', category: 'cyber', explanation: 'The simulator was asked to refuse.' },
  stop_sequence: null,
} as const

/** Derives the IDs from the request, and orders the pieces: thinking, then text or calls. */
function composeMessage(
  { candidates: [candidate], usage }: Reply,
  { exchange, model, isRefused }: { exchange: Exchange; model: string; isRefused: boolean },
): ComposedMessage {
  const number = exchange.id.toString(36).padStart(20, '0')
  const message = { id: `msg_sim${number}`, model, usage }
  if (isRefused) return { ...message, pieces: [], stop: refused }
  const pieces: Piece[] = candidate ? piecesOf(candidate, number) : []
  if (usage?.reasoningTokens) {
    const signature = Buffer.from(`${hashText(model)}:${number}`).toString('base64')
    pieces.unshift({ type: 'thinking', signature })
  }
  return {
    ...message,
    pieces,
    stop: { ...notStopped, stop_reason: stopReasons[candidate?.finish ?? 'stop'] },
  }
}

function piecesOf({ text, calls }: Candidate, number: string): Piece[] {
  if (calls.length === 0) return [{ type: 'text', text }]
  return calls.map((call, index) => {
    const id = `toolu_sim${number}${index.toString(36).padStart(2, '0')}`
    return { type: 'tool_use', id, ...call }
  })
}

/** A message in the wire format. The fault `no-usage` removes the usage. */
type MessageBody = Omit<Anthropic.Message, 'usage'> & { usage?: Anthropic.Usage }

function presentMessage(message: ComposedMessage): MessageBody {
  return {
    ...presentEmptyMessage(message),
    content: message.pieces.map(presentPiece),
    ...message.stop,
    ...(message.usage && { usage: presentUsage(message.usage) }),
  }
}

/** Presents the message that starts a stream. */
function presentEmptyMessage({ id, model }: ComposedMessage): MessageBody {
  const fixed = { type: 'message', role: 'assistant', container: null, diagnostics: null } as const
  return { id, model, content: [], ...fixed, ...notStopped }
}

function presentPiece(piece: Piece): Anthropic.ContentBlock {
  switch (piece.type) {
    case 'thinking':
      return { ...piece, thinking: '' }
    case 'text':
      return { ...piece, citations: null }
    case 'tool_use': {
      const { id, name } = piece
      const input: unknown = parseJson(piece.arguments) ?? {}
      return { type: 'tool_use', id, name, input, caller: { type: 'direct' } }
    }
  }
}

/** Presents the usage. `input_tokens` excludes tokens that were read from or written to the cache. */
function presentUsage(usage: Usage): Anthropic.Usage {
  const { promptTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  return {
    input_tokens: promptTokens - cachedTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: 'standard',
    inference_geo: 'global',
    speed: null,
  }
}

/** Presents the usage at the end of a stream. Recent models repeat all counts, earlier ones only the output. */
function presentDeltaUsage(usage: Usage, { isRecent }: { isRecent: boolean }): Anthropic.MessageDeltaUsage {
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, ...rest } = presentUsage(usage)
  const { output_tokens, output_tokens_details, server_tool_use } = rest
  return {
    input_tokens: isRecent ? input_tokens : null,
    cache_creation_input_tokens: isRecent ? cache_creation_input_tokens : null,
    cache_read_input_tokens: isRecent ? cache_read_input_tokens : null,
    output_tokens,
    output_tokens_details,
    server_tool_use,
  }
}

/** A stream event. The fault `no-usage` removes the usage. */
type Event =
  | Exclude<Anthropic.RawMessageStreamEvent, Anthropic.RawMessageStartEvent | Anthropic.RawMessageDeltaEvent>
  | { type: 'message_start'; message: MessageBody }
  | (Omit<Anthropic.RawMessageDeltaEvent, 'usage'> & { usage?: Anthropic.MessageDeltaUsage })

/** Streams an answer as named events, with a ping after the first. */
function* streamMessage(message: ComposedMessage, traits: { isRecent: boolean }): Iterable<string> {
  const { usage, stop } = message
  const begun = usage && { usage: { ...presentUsage(usage), output_tokens: 1 } }
  yield frame({ type: 'message_start', message: { ...presentEmptyMessage(message), ...begun } })
  yield 'event: ping\ndata: {"type": "ping"}\n\n'
  for (const [index, piece] of message.pieces.entries()) {
    yield frame({ type: 'content_block_start', index, content_block: beginPiece(piece) })
    for (const delta of streamPiece(piece)) yield frame({ type: 'content_block_delta', index, delta })
    yield frame({ type: 'content_block_stop', index })
  }
  const ended = usage && { usage: presentDeltaUsage(usage, traits) }
  yield frame({ type: 'message_delta', delta: { container: null, ...stop }, ...ended })
  yield frame({ type: 'message_stop' })
}

function frame(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function beginPiece(piece: Piece): Anthropic.ContentBlock {
  switch (piece.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'text':
      return { type: 'text', text: '', citations: null }
    case 'tool_use':
      return { type: 'tool_use', id: piece.id, name: piece.name, input: {}, caller: { type: 'direct' } }
  }
}

/** Streams a piece. Arguments start with an empty slice, which is the only one if they are `{}`. */
function* streamPiece(piece: Piece): Iterable<Anthropic.RawContentBlockDelta> {
  switch (piece.type) {
    case 'thinking':
      return yield { type: 'signature_delta', signature: piece.signature }
    case 'text':
      for (const text of splitWords(piece.text)) yield { type: 'text_delta', text }
      return
    case 'tool_use':
      yield { type: 'input_json_delta', partial_json: '' }
      if (piece.arguments === '{}') return
      for (const slice of splitJson(piece.arguments)) yield { type: 'input_json_delta', partial_json: slice }
  }
}
