import type Anthropic from '@anthropic-ai/sdk'
import type { Exchange } from '../../server/exchange.ts'
import { parseJson } from '../../server/json.ts'
import { answerChat, type ChatHost, streamHeaders } from '../answer-chat.ts'
import type { Fault } from '../faults.ts'
import type { Candidate, Reply, Usage } from '../model/prompt.ts'
import { hashText, splitJson, splitWords } from '../model/text.ts'
import type { Handler } from '../simulator.ts'
import { useBreakpoints } from './cache.ts'
import { parseMessageRequest } from './request.ts'

/** A host of these models. */
interface MessagesHost extends ChatHost {
  /** Throws a `Refusal` if the host does not have the model. */
  checkModel?(model: string): void
}

/** Handles `POST /v1/messages`, whole or streamed. */
export function createMessage(host: MessagesHost): Handler {
  const faultyParts = {
    brokenFrame: 'event: content_block_delta\ndata: {"type":"content_\n\n',
    errorFrame: `event: error\ndata: ${JSON.stringify(host.errorInAnswer)}\n\n`,
  }
  return async (simulator, exchange) => {
    const caller = await host.authenticate(exchange, simulator)
    const { prompt, traits, prefixes, isStreamed } = parseMessageRequest(exchange)
    const { model } = prompt
    host.checkModel?.(model)
    const partition = [caller, model, String(exchange.request.headers['session-id'] ?? '')]
    const minimumTokens = traits.minimumCacheTokens
    const chat = {
      ...{ prompt, isStreamed, streamHeaders, faultyParts },
      useCache: () => useBreakpoints(simulator, { partition, prefixes, minimumTokens }),
      present(reply: Reply, fault: Fault | undefined) {
        const isRefused = fault?.name === 'refusal'
        const message = composeMessage(reply, { exchange, model, isRefused })
        return { whole: () => presentMessage(message), frames: () => streamMessage(message, traits) }
      },
    }
    return answerChat(simulator, exchange, { host, chat })
  }
}

/** A content block of an answer, whole and as streamed. */
interface Piece {
  readonly whole: Anthropic.ContentBlock
  readonly start: Anthropic.ContentBlock
  readonly deltas: Iterable<Anthropic.RawContentBlockDelta>
}

/** A message in the wire format. The fault `no-usage` removes the usage. */
type MessageBody = Omit<Anthropic.Message, 'usage'> & { usage?: Anthropic.Usage }

interface ComposedMessage {
  /** The message that starts a stream. */
  readonly empty: MessageBody
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
  const fixed = { type: 'message', role: 'assistant', container: null, diagnostics: null } as const
  const empty = { id: `msg_sim${number}`, model, content: [], ...fixed, ...notStopped }
  if (isRefused) return { empty, usage, pieces: [], stop: refused }
  const pieces: Piece[] = candidate ? piecesOf(candidate, number) : []
  if (usage?.reasoningTokens) {
    const signature = Buffer.from(`${hashText(model)}:${number}`).toString('base64')
    const start = { type: 'thinking', thinking: '', signature: '' } as const
    const deltas = [{ type: 'signature_delta', signature } as const]
    pieces.unshift({ start, whole: { ...start, signature }, deltas })
  }
  const stop_reason = stopReasons[candidate?.finish ?? 'stop']
  return { empty, usage, pieces, stop: { ...notStopped, stop_reason } }
}

function piecesOf({ text, calls }: Candidate, number: string): Piece[] {
  if (calls.length === 0) {
    const start = { type: 'text', text: '', citations: null } as const
    return [{ start, whole: { ...start, text }, deltas: streamText(text) }]
  }
  return calls.map((call, index) => {
    const id = `toolu_sim${number}${index.toString(36).padStart(2, '0')}`
    const start = { type: 'tool_use', id, name: call.name, input: {}, caller: { type: 'direct' } } as const
    const input: unknown = parseJson(call.arguments) ?? {}
    return { start, whole: { ...start, input }, deltas: streamArguments(call.arguments) }
  })
}

function* streamText(text: string): Iterable<Anthropic.TextDelta> {
  for (const word of splitWords(text)) yield { type: 'text_delta', text: word }
}

/** Streams the arguments of a call. The first slice is empty, and the only one if the arguments are `{}`. */
function* streamArguments(json: string): Iterable<Anthropic.InputJSONDelta> {
  yield { type: 'input_json_delta', partial_json: '' }
  if (json === '{}') return
  for (const slice of splitJson(json)) yield { type: 'input_json_delta', partial_json: slice }
}

function presentMessage({ empty, pieces, stop, usage }: ComposedMessage): MessageBody {
  const content = pieces.map(piece => piece.whole)
  return { ...empty, content, ...stop, ...(usage && { usage: presentUsage(usage) }) }
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
    ...{ output_tokens, output_tokens_details, server_tool_use },
  }
}

/** A stream event. The fault `no-usage` removes the usage. */
type Event =
  | Exclude<Anthropic.RawMessageStreamEvent, Anthropic.RawMessageStartEvent | Anthropic.RawMessageDeltaEvent>
  | { type: 'message_start'; message: MessageBody }
  | (Omit<Anthropic.RawMessageDeltaEvent, 'usage'> & { usage?: Anthropic.MessageDeltaUsage })

/** Streams an answer as named events, with a ping after the first. */
function* streamMessage(
  { empty, pieces, usage, stop }: ComposedMessage,
  traits: { isRecent: boolean },
): Iterable<string> {
  const startUsage = usage && { usage: { ...presentUsage(usage), output_tokens: 1 } }
  yield frame({ type: 'message_start', message: { ...empty, ...startUsage } })
  yield 'event: ping\ndata: {"type": "ping"}\n\n'
  for (const [index, { start, deltas }] of pieces.entries()) {
    yield frame({ type: 'content_block_start', index, content_block: start })
    for (const delta of deltas) yield frame({ type: 'content_block_delta', index, delta })
    yield frame({ type: 'content_block_stop', index })
  }
  const endUsage = usage && { usage: presentDeltaUsage(usage, traits) }
  yield frame({ type: 'message_delta', delta: { container: null, ...stop }, ...endUsage })
  yield frame({ type: 'message_stop' })
}

function frame(event: Event): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
