import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schema/usage.ts'
import type { ChatChunk, ChunkDelta, FinishReason } from '../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { parseObject, readShape, requireText } from '../shared/answer.ts'
import { finishReasonOf, readUsage, refusalOf } from './answer.ts'
import { failureOfErrorBody } from './failure.ts'
import { isAnswer } from './response-format.ts'
import type { StreamEvent, UsageBody } from './wire.ts'

/**
 * Reads the vendor's stream. Pings and events that nobody knows say nothing. Without `message_delta`, which
 * says why it ended, it was cut.
 */
export function openTranslator(call: ChatCall): ChatTranslator {
  const created = Math.floor(Date.now() / 1000)
  const blocks = openBlocks(call)
  const usage = openUsage()
  let id = ''
  let isFinished = false
  let isWhole = false

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
        usage.begin(event.message.usage)
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
        isWhole = true
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
      return isEvent(event) ? readShape(() => translate(event)) : []
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
      return isWhole || (isFinished && usage.isFinal)
    },
    get usage(): Usage | undefined {
      return usage.told
    },
    get isUsageFinal() {
      return isFinished && usage.isFinal
    },
    get thinks() {
      return blocks.hasThoughts
    },
  }
}

/** Every event says its type; the rest is looked at where it is read. */
function isEvent(value: object): value is StreamEvent {
  return typeof Reflect.get(value, 'type') === 'string'
}

type BlockEvent =
  | Anthropic.RawContentBlockStartEvent
  | Anthropic.RawContentBlockDeltaEvent
  | Anthropic.RawContentBlockStopEvent

/** A call of a tool that is being streamed. */
interface OpenCall {
  /**
   * Among the calls: the vendor counts text and thoughts too. Undefined for the call that is the answer
   * itself.
   */
  index: number | undefined
  isSilent: boolean
}

/** Reads the blocks of one streamed answer, also where they come interleaved. */
function openBlocks(call: ChatCall) {
  const open = new Map<number, OpenCall>()
  /** The index among the thoughts of each block that is one. */
  const thoughts = new Map<number, number>()
  let callCount = 0
  let isGivenByTool = false

  const begin = (at: number, block: Anthropic.RawContentBlockStartEvent['content_block']) => {
    if (block.type === 'text') return block.text ? { content: requireText(block.text) } : undefined
    if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      thoughts.set(at, thoughts.size)
      return beginThought(thoughts.size - 1, block)
    }
    if (block.type !== 'tool_use') return undefined
    if (isAnswer(block.name, call)) {
      isGivenByTool = true
      open.set(at, { index: undefined, isSilent: true })
      return undefined
    }
    const index = callCount++
    open.set(at, { index, isSilent: true })
    const id = requireText(block.id)
    const made = { name: requireText(block.name), arguments: '' }
    return { tool_calls: [{ index, id, type: 'function' as const, function: made }] }
  }

  const goOn = (at: number, delta: Anthropic.RawContentBlockDelta) => {
    if (delta.type === 'text_delta') return { content: requireText(delta.text) }
    if (delta.type === 'thinking_delta' || delta.type === 'signature_delta') {
      return addThought(thoughts.get(at), delta)
    }
    if (delta.type !== 'input_json_delta') return undefined
    const made = open.get(at)
    return made && addArguments(made, requireText(delta.partial_json))
  }

  return {
    /** What an event adds to the answer, if anything. */
    read(event: BlockEvent): ChunkDelta | undefined {
      if (event.type === 'content_block_start') return begin(event.index, event.content_block)
      if (event.type === 'content_block_delta') return goOn(event.index, event.delta)
      const ended = open.get(event.index)
      open.delete(event.index)
      return ended?.isSilent ? addArguments(ended, '{}') : undefined
    },
    /** Whether it has begun to think, shown or not. */
    get hasThoughts() {
      return thoughts.size > 0
    },
    /** Whether the answer was given as the arguments of a tool. */
    get isGivenByTool() {
      return isGivenByTool
    },
  }
}

function beginThought(
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

/** A thought is shown as the text that it is, and beside it as the block that must come back as it was. */
function addThought(
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

/** The first piece is often empty; a call without arguments has no other, and then they are `{}`. */
function addArguments(made: OpenCall, text: string): ChunkDelta | undefined {
  if (text === '') return undefined
  made.isSilent = false
  if (made.index === undefined) return { content: text }
  return { tool_calls: [{ index: made.index, function: { arguments: text } }] }
}

/**
 * Keeps the usage of one streamed answer. The vendor tells the prompt at once, the output at the very end.
 */
function openUsage() {
  let body: UsageBody = {}
  let isFinal = false

  return {
    begin(told: UsageBody | undefined) {
      body = { ...told }
    },
    /** The counts are of the whole answer, and those that are null are as before. */
    end(told: UsageBody | undefined) {
      const known = Object.entries(told ?? {}).filter(([, value]) => value !== null)
      Object.assign(body, Object.fromEntries(known))
      isFinal = typeof told?.output_tokens === 'number'
    },
    get told(): Usage | undefined {
      return readUsage(body)
    },
    /** The output was told too. */
    get isFinal() {
      return isFinal
    },
  }
}
