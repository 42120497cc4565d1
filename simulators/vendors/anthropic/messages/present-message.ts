import type Anthropic from '@anthropic-ai/sdk'
import { type ComposedMessage, inputOf, type Piece } from './compose-message.ts'
import { presentUsage } from './present-usage.ts'

/** A message as on the wire; the usage is left out where a fault asks for that. */
export type MessageBody = Omit<Anthropic.Message, 'usage'> & { usage?: Anthropic.Usage }

/** A whole answer. */
export function presentMessage(message: ComposedMessage): MessageBody {
  const { usage, stopReason, stopDetails, stopSequence } = message
  return {
    ...presentEmptyMessage(message),
    content: message.pieces.map(presentPiece),
    stop_reason: stopReason,
    stop_details: stopDetails,
    stop_sequence: stopSequence,
    ...(usage && { usage: presentUsage(usage) }),
  }
}

/** An answer as its stream begins. */
export function presentEmptyMessage({ id, model }: ComposedMessage): MessageBody {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_details: null,
    stop_sequence: null,
  }
}

function presentPiece(piece: Piece): Anthropic.ContentBlock {
  switch (piece.type) {
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: piece.signature }
    case 'text':
      return { type: 'text', text: piece.text, citations: null }
    case 'tool_use': {
      const { id, name } = piece
      return { type: 'tool_use', id, name, input: inputOf(piece), caller: { type: 'direct' } }
    }
  }
}
