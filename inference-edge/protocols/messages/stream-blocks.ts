import { appendPiece } from '../../../platform/append-piece.ts'
import { frameOf } from '../protocol.ts'
import { type ContentBlock, directly } from './answer.ts'

/** A fragment of a call. The first fragment has ID and name. */
interface ToolUseFragment {
  id: string
  name: string
  json: string
}

/**
 * Writes the content blocks of one streamed answer as frames. Blocks are numbered from 0, and one is open at a time.
 */
export interface BlockStream {
  addText(text: string): string
  /** Text of a thinking block, its signature, or both; the signature ends the block. */
  addThinking(text: string, signature?: string): string
  addRedactedThinking(data: string): string
  /** A fragment of the call with this index. */
  addToolUse(index: number, fragment: ToolUseFragment): string
  /** Returns the end of the open block, and the blocks that were held back. */
  end(): string
}

type KeptCall = { kind: 'call' } & ToolUseFragment
type KeptBlock = { kind: 'text'; text: string } | KeptCall

/**
 * Opens the blocks of an answer. Text, thinking and the first call are streamed without delay. Vendors may alternate
 * between fragments of several calls and text, but clients expect one block after the other. So fragments that do not
 * belong to the first call are held back, in order, until the end. Thinking after a call is dropped.
 */
export function openBlocks(): BlockStream {
  const kept: KeptBlock[] = []
  const keptCalls = new Map<number, KeptCall>()
  let open: 'text' | 'thinking' | 'call' | undefined
  let streamedCall: number | undefined
  let index = -1

  const start = (content_block: ContentBlock) => {
    index += 1
    return eventFrame('content_block_start', { index, content_block })
  }
  const delta = (fields: object) => eventFrame('content_block_delta', { index, delta: fields })
  const stop = () => {
    if (!open) return ''
    open = undefined
    return eventFrame('content_block_stop', { index })
  }
  /** Starts a block unless one of the kind is open. */
  const ensureOpen = (kind: 'text' | 'thinking', block: ContentBlock) => {
    if (open === kind) return ''
    const frames = stop() + start(block)
    open = kind
    return frames
  }
  const writeText = (text: string) =>
    ensureOpen('text', { type: 'text', text: '' }) + delta({ type: 'text_delta', text })
  const startCall = ({ id, name }: ToolUseFragment) => {
    const frames = stop() + start({ type: 'tool_use', id, name, input: {}, caller: directly })
    open = 'call'
    return frames
  }
  const writeJson = (json: string) =>
    json === '' ? '' : delta({ type: 'input_json_delta', partial_json: json })

  return {
    addText: text => (streamedCall === undefined ? writeText(text) : keepText(kept, text)),
    addThinking(text, signature = '') {
      if (streamedCall !== undefined || (text === '' && signature === '')) return ''
      let frames = ensureOpen('thinking', { type: 'thinking', thinking: '', signature: '' })
      if (text !== '') frames += delta({ type: 'thinking_delta', thinking: text })
      if (signature !== '') frames += delta({ type: 'signature_delta', signature }) + stop()
      return frames
    },
    addRedactedThinking: data =>
      streamedCall === undefined
        ? stop() + start({ type: 'redacted_thinking', data }) + eventFrame('content_block_stop', { index })
        : '',
    addToolUse(at, fragment) {
      if (at === streamedCall) return writeJson(fragment.json)
      if (streamedCall !== undefined) return keepCall(kept, keptCalls, { at, fragment })
      streamedCall = at
      return startCall(fragment) + writeJson(fragment.json)
    },
    end() {
      let frames = stop()
      for (const block of kept) {
        frames += block.kind === 'text' ? writeText(block.text) : startCall(block) + writeJson(block.json)
        frames += stop()
      }
      return frames
    },
  }
}

/** Keeps a text back. No frame is written. */
function keepText(kept: KeptBlock[], text: string): '' {
  const last = kept.at(-1)
  if (last?.kind === 'text') last.text = appendPiece(last.text, text)
  else kept.push({ kind: 'text', text })
  return ''
}

/** Keeps a fragment of a call back. No frame is written. */
function keepCall(
  kept: KeptBlock[],
  calls: Map<number, KeptCall>,
  { at, fragment }: { at: number; fragment: ToolUseFragment },
): '' {
  const known = calls.get(at)
  if (known) {
    known.name ||= fragment.name
    known.json = appendPiece(known.json, fragment.json)
    return ''
  }
  const call: KeptCall = { kind: 'call', ...fragment }
  calls.set(at, call)
  kept.push(call)
  return ''
}

function eventFrame(type: string, fields: object): string {
  return frameOf({ type, ...fields }, type)
}
