import type Anthropic from '@anthropic-ai/sdk'
import { splitJson, splitWords } from '../../model/text/split-text.ts'
import type { ComposedMessage, Piece } from './compose-message.ts'
import { type MessageBody, presentEmptyMessage } from './present-message.ts'
import { presentDeltaUsage, presentUsage } from './present-usage.ts'

/** The vendor's events, but that a fault may leave the usage out. */
type Event =
  | Exclude<Anthropic.RawMessageStreamEvent, Anthropic.RawMessageStartEvent | Anthropic.RawMessageDeltaEvent>
  | { type: 'message_start'; message: MessageBody }
  | (Omit<Anthropic.RawMessageDeltaEvent, 'usage'> & { usage?: Anthropic.MessageDeltaUsage })

/** An answer as the named events of a stream, with a ping after the first. */
export function* streamMessage(message: ComposedMessage, traits: { isRecent: boolean }): Iterable<string> {
  const { usage, stopReason, stopDetails, stopSequence } = message
  const begun = usage && { usage: { ...presentUsage(usage), output_tokens: 1 } }
  yield frame({ type: 'message_start', message: { ...presentEmptyMessage(message), ...begun } })
  yield 'event: ping\ndata: {"type": "ping"}\n\n'
  for (const [index, piece] of message.pieces.entries()) {
    yield frame({ type: 'content_block_start', index, content_block: beginPiece(piece) })
    for (const delta of streamPiece(piece)) yield frame({ type: 'content_block_delta', index, delta })
    yield frame({ type: 'content_block_stop', index })
  }
  yield frame({
    type: 'message_delta',
    delta: {
      container: null,
      stop_reason: stopReason,
      stop_details: stopDetails,
      stop_sequence: stopSequence,
    },
    ...(usage && { usage: presentDeltaUsage(usage, traits) }),
  })
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

/** Arguments begin with an empty slice; where there are none, it is the only one. */
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
