import type { Usage } from '../../../../schema/usage.ts'
import type { ChatChunk, ChunkDelta, FinishReason } from '../../../../schema/wire/chat.ts'
import type { ChatCall, ChatTranslator } from '../../../chat-adapter.ts'
import { UpstreamFailure } from '../../../upstream-failure.ts'
import { parseObject } from '../../shared/answer/parse-object.ts'
import { readShape } from '../../shared/answer/read-shape.ts'
import type { StreamEvent } from '../wire.ts'
import { finishReasonOf, refusalOf } from './finish-reasons.ts'
import { failureOfErrorBody } from './read-failure.ts'
import { openBlocks } from './stream-blocks.ts'
import { openUsage } from './stream-usage.ts'

/** Reads the vendor's stream. Pings and events that nobody knows say nothing. Without `message_delta`, which says why it ended, it was cut. */
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
