import { frameOf } from '../../protocol.ts'

/** A piece of a call: its id and name come with the first. */
interface CallPiece {
  id: string
  name: string
  text: string
}

/** The content blocks of one streamed answer, as frames: numbered from 0, one open at a time. */
export interface Blocks {
  say(text: string): string
  /** A thought goes on; its signature, once it comes, ends it. */
  think(text: string, signature?: string): string
  /** A thought that only its vendor can read. */
  redact(data: string): string
  call(index: number, piece: CallPiece): string
  /** All is said: the frames that are left. */
  end(): string
}

type Late = { kind: 'text'; text: string } | ({ kind: 'call' } & CallPiece)

/**
 * Text and thoughts are told as they come, and so is the first call. Whatever comes once a call has begun may be mixed
 * with its pieces, which clients cannot read: it waits, in order, for the end.
 */
export function openBlocks(): Blocks {
  const late: Late[] = []
  const lateCalls = new Map<number, Late & { kind: 'call' }>()
  let open: 'text' | 'thinking' | 'call' | undefined
  let liveCall: number | undefined
  let index = -1

  const start = (content_block: object) => {
    index += 1
    return frame('content_block_start', { index, content_block })
  }
  const grow = (delta: object) => frame('content_block_delta', { index, delta })
  const stop = () => {
    if (!open) return ''
    open = undefined
    return frame('content_block_stop', { index })
  }
  const begin = (kind: NonNullable<typeof open>, block: object) => {
    if (open === kind) return ''
    const frames = stop() + start(block)
    open = kind
    return frames
  }
  const startCall = ({ id, name }: CallPiece) => {
    const frames = stop() + start({ type: 'tool_use', id, name, input: {} })
    open = 'call'
    return frames
  }
  const growCall = (text: string) =>
    text === '' ? '' : grow({ type: 'input_json_delta', partial_json: text })

  const keep = (text: string) => {
    const last = late.at(-1)
    if (last?.kind === 'text') last.text += text
    else late.push({ kind: 'text', text })
    return ''
  }
  const keepCall = (at: number, piece: CallPiece) => {
    const known = lateCalls.get(at)
    if (known) {
      known.name ||= piece.name
      known.text += piece.text
      return ''
    }
    const made = { kind: 'call' as const, ...piece }
    lateCalls.set(at, made)
    late.push(made)
    return ''
  }
  const say = (text: string) =>
    begin('text', { type: 'text', text: '', citations: null }) + grow({ type: 'text_delta', text })

  return {
    say: text => (liveCall === undefined ? say(text) : keep(text)),
    think(text, signature = '') {
      if (liveCall !== undefined || (text === '' && signature === '')) return ''
      let frames = begin('thinking', { type: 'thinking', thinking: '', signature: '' })
      if (text !== '') frames += grow({ type: 'thinking_delta', thinking: text })
      if (signature !== '') frames += grow({ type: 'signature_delta', signature }) + stop()
      return frames
    },
    redact: data =>
      liveCall === undefined
        ? stop() + start({ type: 'redacted_thinking', data }) + frame('content_block_stop', { index })
        : '',
    call(at, piece) {
      if (at === liveCall) return growCall(piece.text)
      if (liveCall !== undefined) return keepCall(at, piece)
      liveCall = at
      return startCall(piece) + growCall(piece.text)
    },
    end() {
      let frames = stop()
      for (const block of late) {
        frames += block.kind === 'text' ? say(block.text) : startCall(block) + growCall(block.text)
        frames += stop()
      }
      return frames
    },
  }
}

function frame(type: string, fields: object): string {
  return `event: ${type}\n${frameOf({ type, ...fields })}`
}
