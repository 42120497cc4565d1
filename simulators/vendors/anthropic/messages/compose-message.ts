import type Anthropic from '@anthropic-ai/sdk'
import { parseJson } from '../../json.ts'
import type { Candidate, Reply, Usage } from '../../model/reply.ts'
import { hashText } from '../../model/text/hash-text.ts'
import type { Exchange } from '../../server/exchange.ts'

/** A piece of an answer; the arguments of a call as JSON text, which the token limit may have cut short. */
export type Piece =
  | { readonly type: 'thinking'; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly arguments: string }

/** An answer, for either way of presenting it. */
export interface ComposedMessage {
  readonly id: string
  readonly model: string
  readonly pieces: readonly Piece[]
  readonly stopReason: Anthropic.StopReason
  readonly stopDetails: Anthropic.RefusalStopDetails | null
  readonly stopSequence: string | null
  /** Undefined where a fault leaves it out. */
  readonly usage: Usage | undefined
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' } as const

/** Names an answer and its calls after its request, and puts its pieces in order: thoughts, text, calls. */
export function composeMessage(
  { candidates: [candidate], usage }: Reply,
  { exchange, model, isRefused }: { exchange: Exchange; model: string; isRefused: boolean },
): ComposedMessage {
  const number = exchange.id.toString(36).padStart(20, '0')
  const message = { id: `msg_sim${number}`, model, usage, stopDetails: null, stopSequence: null }
  if (isRefused) return { ...message, pieces: [], stopReason: 'refusal', stopDetails: refusal }
  const thoughts: Piece[] = usage?.reasoningTokens
    ? [{ type: 'thinking', signature: sign(model, number) }]
    : []
  const pieces = candidate ? [...thoughts, ...piecesOf(candidate, number)] : thoughts
  return { ...message, pieces, stopReason: stopReasons[candidate?.finish ?? 'stop'] }
}

/** What a call was given, as far as it got. */
export function inputOf(piece: { arguments: string }): unknown {
  return parseJson(piece.arguments) ?? {}
}

const refusal: Anthropic.RefusalStopDetails = {
  type: 'refusal',
  category: 'cyber',
  explanation: 'The simulator was asked to refuse.',
}

function piecesOf({ text, calls }: Candidate, number: string): Piece[] {
  const said: Piece[] = calls.length > 0 ? [] : [{ type: 'text', text }]
  return [
    ...said,
    ...calls.map((call, index) => ({
      type: 'tool_use' as const,
      id: `toolu_sim${number}${index.toString(36).padStart(2, '0')}`,
      ...call,
    })),
  ]
}

function sign(model: string, number: string): string {
  return Buffer.from(`${hashText(model)}:${number}`).toString('base64')
}
