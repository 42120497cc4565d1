import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import type { StreamedChunk } from '../../../schema/wire/text-chunk.ts'
import type { ChatCall, ChatTranslator, SseEvent } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { guardShape, parseObject, requireText } from '../shared/answer.ts'
import { openTextEvents } from '../shared/text-events.ts'
import { finishReasonOf, readUsage, refusalOf } from './answer.ts'
import { failureOfErrorBody } from './failure.ts'
import { isAnswerTool } from './response-format.ts'
import type { StreamEvent, UsageBody } from './wire.ts'

/**
 * Opens the translator of a stream. Pings and unknown events are skipped. A stream without `message_delta`, which
 * contains the stop reason, was cut off.
 */
export function openTranslator(call: ChatCall): ChatTranslator {
  return new EventTranslator(call)
}

class EventTranslator implements ChatTranslator {
  isFinished = false
  readonly #head: Pick<ChatChunk, 'id' | 'object' | 'created' | 'model'>
  readonly #blocks: Blocks
  readonly #usage = new ReportedUsage()
  readonly #textEvents = openTextEvents(['delta', 'text'])
  #isStopped = false

  constructor(call: ChatCall) {
    const created = Math.floor(Date.now() / 1000)
    this.#head = { id: '', object: 'chat.completion.chunk', created, model: call.request.model }
    this.#blocks = new Blocks(call)
  }

  get isOver(): boolean {
    return this.#isStopped || this.isUsageFinal
  }

  get usage(): Usage | undefined {
    return this.#usage.current
  }

  get isUsageFinal(): boolean {
    return this.isFinished && this.#usage.isFinal
  }

  get thinks(): boolean {
    return this.#blocks.hasThinking
  }

  read({ data }: SseEvent): StreamedChunk[] {
    const text = this.#textEvents.read(data)
    if (text) return [text]
    const event = parseObject(data)
    if (!isEvent(event)) return []
    const chunks = guardShape(() => this.#translate(event))
    if (chunks[0] && isTextDelta(event)) this.#textEvents.remember(data, chunks[0])
    return chunks
  }

  end(): ChatChunk[] {
    if (!this.isFinished) {
      throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
    }
    return []
  }

  #translate(event: StreamEvent): ChatChunk[] {
    switch (event.type) {
      case 'message_start':
        this.#head.id = event.message.id
        this.#usage.start(event.message.usage)
        return [this.#chunkOf({ role: 'assistant', content: '', refusal: null })]
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop': {
        const delta = this.#blocks.read(event)
        return delta ? [this.#chunkOf(delta)] : []
      }
      case 'message_delta':
        return this.#finish(event)
      case 'message_stop':
        this.#isStopped = true
        return []
      case 'error':
        throw failureOfErrorBody(event)
      default:
        return []
    }
  }

  #finish({ delta, usage }: StreamEvent & { type: 'message_delta' }): ChatChunk[] {
    this.isFinished = true
    this.#usage.end(usage)
    const { stop_reason: reason, stop_details: details, stop_sequence: stop } = delta
    const refusal = refusalOf(reason, details)
    const finish = finishReasonOf(reason, { isGivenByTool: this.#blocks.isGivenByTool })
    const last = this.#chunkOf({}, finish)
    if (typeof stop === 'string' && last.choices[0]) last.choices[0].stop_sequence = stop
    return [...(refusal ? [this.#chunkOf({ refusal })] : []), last]
  }

  #chunkOf(delta: ChunkDelta, finish: FinishReason | null = null): ChatChunk {
    return { ...this.#head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] }
  }
}

/** Every event has a `type`. Its other fields are checked when they are read. */
function isEvent(value: object): value is StreamEvent {
  return typeof Reflect.get(value, 'type') === 'string'
}

function isTextDelta(event: StreamEvent): boolean {
  return event.type === 'content_block_delta' && event.delta.type === 'text_delta'
}

type BlockEvent =
  | Anthropic.RawContentBlockStartEvent
  | Anthropic.RawContentBlockDeltaEvent
  | Anthropic.RawContentBlockStopEvent

/** A tool call that is being streamed. */
interface OpenCall {
  /**
   * The index among the calls. The vendor's index also counts text and thinking. Undefined for a call that is the
   * answer itself.
   */
  index: number | undefined
  /** Whether its arguments are still empty. */
  isEmpty: boolean
}

/** Reads the content blocks of one streamed answer, which may be interleaved. */
class Blocks {
  /** Whether the answer is the arguments of a tool call. */
  isGivenByTool = false
  readonly #call: ChatCall
  readonly #open = new Map<number, OpenCall>()
  /** For each thinking block, its index among the thinking blocks. */
  readonly #thinking = new Map<number, number>()
  #callCount = 0

  constructor(call: ChatCall) {
    this.#call = call
  }

  /** Whether the model has begun to think, shown or not. */
  get hasThinking(): boolean {
    return this.#thinking.size > 0
  }

  /** Returns the part that an event adds to the answer, if any. */
  read(event: BlockEvent): ChunkDelta | undefined {
    if (event.type === 'content_block_start') return this.#start(event.index, event.content_block)
    if (event.type === 'content_block_delta') return this.#add(event.index, event.delta)
    const ended = this.#open.get(event.index)
    this.#open.delete(event.index)
    return ended?.isEmpty ? addArguments(ended, '{}') : undefined
  }

  #start(at: number, block: Anthropic.RawContentBlockStartEvent['content_block']): ChunkDelta | undefined {
    if (block.type === 'text') return block.text ? { content: requireText(block.text) } : undefined
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      this.#thinking.set(at, this.#thinking.size)
      return startThinking(this.#thinking.size - 1, block)
    }
    if (block.type !== 'tool_use') return undefined
    if (isAnswerTool(block.name, this.#call)) {
      this.isGivenByTool = true
      this.#open.set(at, { index: undefined, isEmpty: true })
      return undefined
    }
    const index = this.#callCount++
    this.#open.set(at, { index, isEmpty: true })
    const id = requireText(block.id)
    const made = { name: requireText(block.name), arguments: '' }
    return { tool_calls: [{ index, id, type: 'function', function: made }] }
  }

  #add(at: number, delta: Anthropic.RawContentBlockDelta): ChunkDelta | undefined {
    if (delta.type === 'text_delta') return { content: requireText(delta.text) }
    if (delta.type === 'thinking_delta' || delta.type === 'signature_delta') {
      return addThinking(this.#thinking.get(at), delta)
    }
    if (delta.type !== 'input_json_delta') return undefined
    const made = this.#open.get(at)
    return made && addArguments(made, requireText(delta.partial_json))
  }
}

function startThinking(
  index: number,
  block: Anthropic.ThinkingBlock | Anthropic.RedactedThinkingBlock,
): ChunkDelta | undefined {
  if (block.type === 'redacted_thinking') {
    return { thinking_blocks: [{ index, type: 'redacted_thinking', data: requireText(block.data) }] }
  }
  if (!block.thinking) return undefined
  const thinking = requireText(block.thinking)
  return { reasoning_content: thinking, thinking_blocks: [{ index, type: 'thinking', thinking }] }
}

/** Returns a piece of thinking, both as text and as part of the block that the client must send back unchanged. */
function addThinking(
  index: number | undefined,
  delta: Anthropic.ThinkingDelta | Anthropic.SignatureDelta,
): ChunkDelta | undefined {
  if (index === undefined) return undefined
  if (delta.type === 'signature_delta') {
    return { thinking_blocks: [{ index, type: 'thinking', signature: requireText(delta.signature) }] }
  }
  const thinking = requireText(delta.thinking)
  if (thinking === '') return undefined
  return { reasoning_content: thinking, thinking_blocks: [{ index, type: 'thinking', thinking }] }
}

/**
 * Returns a piece of a call's arguments. The first piece is often empty. A call without arguments has no other piece,
 * and gets `{}` at its end.
 */
function addArguments(made: OpenCall, text: string): ChunkDelta | undefined {
  if (text === '') return undefined
  made.isEmpty = false
  if (made.index === undefined) return { content: text }
  return { tool_calls: [{ index: made.index, function: { arguments: text } }] }
}

/**
 * The usage of one streamed answer: the vendor reports the prompt in the first event and the output in the last.
 */
class ReportedUsage {
  /** Whether the output was also reported. */
  isFinal = false
  #body: UsageBody = {}

  start(first: UsageBody | undefined): void {
    this.#body = { ...first }
  }

  /**
   * Reads the last report. Its counts apply to the whole answer; counts that are null keep their earlier values.
   */
  end(last: UsageBody | undefined): void {
    const known = Object.entries(last ?? {}).filter(([, value]) => value !== null)
    Object.assign(this.#body, Object.fromEntries(known))
    this.isFinal = typeof last?.output_tokens === 'number'
  }

  get current(): Usage | undefined {
    return readUsage(this.#body)
  }
}
