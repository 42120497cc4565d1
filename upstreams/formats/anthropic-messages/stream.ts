import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { guardShape, parseObject, requireText } from '../shared/answer.ts'
import { finishReasonOf, readUsage, refusalOf } from './answer.ts'
import { failureOfErrorBody } from './failure.ts'
import { isAnswerTool } from './response-format.ts'
import type { StreamEvent, UsageBody } from './wire.ts'

/**
 * Opens the translator of a stream. Pings and unknown events are skipped. A stream without `message_delta`,
 * which carries the stop reason, was cut off.
 */
export function openTranslator(call: ChatCall): ChatTranslator {
  const created = Math.floor(Date.now() / 1000)
  const blocks = openBlocks(call)
  const usage = openUsage()
  let id = ''
  let isFinished = false
  let isStopped = false

  const chunkOf = (delta: ChunkDelta, finish: FinishReason | null = null): ChatChunk => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model: call.request.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  })

  const translate = (event: StreamEvent): ChatChunk[] => {
    switch (event.type) {
      case 'message_start':
        id = event.message.id
        usage.start(event.message.usage)
        return [chunkOf({ role: 'assistant', content: '', refusal: null })]
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop': {
        const delta = blocks.read(event)
        return delta ? [chunkOf(delta)] : []
      }
      case 'message_delta': {
        isFinished = true
        usage.end(event.usage)
        const { stop_reason: reason, stop_details: details, stop_sequence: stop } = event.delta
        const refusal = refusalOf(reason, details)
        const finish = finishReasonOf(reason, { isGivenByTool: blocks.isGivenByTool })
        const last = chunkOf({}, finish)
        if (typeof stop === 'string' && last.choices[0]) last.choices[0].stop_sequence = stop
        return [...(refusal ? [chunkOf({ refusal })] : []), last]
      }
      case 'message_stop':
        isStopped = true
        return []
      case 'error':
        throw failureOfErrorBody(event)
      default:
        return []
    }
  }

  return {
    read({ data }) {
      const event = parseObject(data)
      return isEvent(event) ? guardShape(() => translate(event)) : []
    },
    end() {
      if (!isFinished)
        throw new UpstreamFailure('broken', { message: 'the vendor ended its answer too early' })
      return []
    },
    get isFinished() {
      return isFinished
    },
    get isOver() {
      return isStopped || (isFinished && usage.isFinal)
    },
    get usage(): Usage | undefined {
      return usage.current
    },
    get isUsageFinal() {
      return isFinished && usage.isFinal
    },
    get thinks() {
      return blocks.hasThinking
    },
  }
}

/** Every event has a `type`; its other fields are checked where they are read. */
function isEvent(value: object): value is StreamEvent {
  return typeof Reflect.get(value, 'type') === 'string'
}

type BlockEvent =
  | Anthropic.RawContentBlockStartEvent
  | Anthropic.RawContentBlockDeltaEvent
  | Anthropic.RawContentBlockStopEvent

/** A tool call that is being streamed. */
interface OpenCall {
  /**
   * The index among the calls, since the vendor's index counts text and thinking as well. Undefined for a
   * call that is the answer itself.
   */
  index: number | undefined
  /** Whether its arguments are still empty. */
  isEmpty: boolean
}

/** Reads the content blocks of one streamed answer, which may be interleaved. */
function openBlocks(call: ChatCall) {
  const open = new Map<number, OpenCall>()
  /** For each thinking block its index among the thinking blocks. */
  const thinking = new Map<number, number>()
  let callCount = 0
  let isGivenByTool = false

  const startBlock = (at: number, block: Anthropic.RawContentBlockStartEvent['content_block']) => {
    if (block.type === 'text') return block.text ? { content: requireText(block.text) } : undefined
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      thinking.set(at, thinking.size)
      return startThinking(thinking.size - 1, block)
    }
    if (block.type !== 'tool_use') return undefined
    if (isAnswerTool(block.name, call)) {
      isGivenByTool = true
      open.set(at, { index: undefined, isEmpty: true })
      return undefined
    }
    const index = callCount++
    open.set(at, { index, isEmpty: true })
    const id = requireText(block.id)
    const made = { name: requireText(block.name), arguments: '' }
    return { tool_calls: [{ index, id, type: 'function' as const, function: made }] }
  }

  const addToBlock = (at: number, delta: Anthropic.RawContentBlockDelta) => {
    if (delta.type === 'text_delta') return { content: requireText(delta.text) }
    if (delta.type === 'thinking_delta' || delta.type === 'signature_delta') {
      return addThinking(thinking.get(at), delta)
    }
    if (delta.type !== 'input_json_delta') return undefined
    const made = open.get(at)
    return made && addArguments(made, requireText(delta.partial_json))
  }

  return {
    /** What an event adds to the answer, if anything. */
    read(event: BlockEvent): ChunkDelta | undefined {
      if (event.type === 'content_block_start') return startBlock(event.index, event.content_block)
      if (event.type === 'content_block_delta') return addToBlock(event.index, event.delta)
      const ended = open.get(event.index)
      open.delete(event.index)
      return ended?.isEmpty ? addArguments(ended, '{}') : undefined
    },
    /** Whether the model has begun to think, shown or not. */
    get hasThinking() {
      return thinking.size > 0
    },
    /** Whether the answer was given as the arguments of a tool call. */
    get isGivenByTool() {
      return isGivenByTool
    },
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

/** A piece of thinking, both as text and as part of the block that the client must send back unchanged. */
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
 * A piece of a call's arguments. The first piece is often empty. A call without arguments has no other piece,
 * and gets `{}` at its end.
 */
function addArguments(made: OpenCall, text: string): ChunkDelta | undefined {
  if (text === '') return undefined
  made.isEmpty = false
  if (made.index === undefined) return { content: text }
  return { tool_calls: [{ index: made.index, function: { arguments: text } }] }
}

/**
 * Collects the usage of one streamed answer: the vendor reports the prompt in the first event and the output
 * in the last.
 */
function openUsage() {
  let body: UsageBody = {}
  let isFinal = false

  return {
    start(first: UsageBody | undefined) {
      body = { ...first }
    },
    /**
     * Takes the last report: its counts are of the whole answer, and those that are null stay as they were.
     */
    end(last: UsageBody | undefined) {
      const known = Object.entries(last ?? {}).filter(([, value]) => value !== null)
      Object.assign(body, Object.fromEntries(known))
      isFinal = typeof last?.output_tokens === 'number'
    },
    get current(): Usage | undefined {
      return readUsage(body)
    },
    /** Whether the output was reported as well. */
    get isFinal() {
      return isFinal
    },
  }
}
