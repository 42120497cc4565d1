import type Anthropic from '@anthropic-ai/sdk'
import { appendPiece } from '../../../platform/append-piece.ts'
import type { Problem } from '../../../schema/errors.ts'
import type { Usage } from '../../../schema/usage.ts'
import type { ChunkChoice, ChunkDelta, ToolCallFragment } from '../../../schema/wire/chat.ts'
import { wholeChunk } from '../../../schema/wire/text-chunk.ts'
import { frameOf, type RequestIdentity, type StreamPresenter } from '../protocol.ts'
import {
  beginMessage,
  type ContentBlock,
  callIdOf,
  type Ending,
  presentCharged,
  presentEnding,
  presentUsage,
  stopSequenceOf,
  thinkingBlocksIn,
} from './answer.ts'
import { presentMessagesProblem } from './client.ts'
import { openBlocks } from './stream-blocks.ts'

export interface PresenterOptions {
  /** Whether thinking without a signature is shown. */
  showsThinking: boolean
  /**
   * An estimate of the prompt's tokens, for vendors that report them only at the end: some clients read only the first
   * event.
   */
  estimateUsage(): Usage
  renameParam(problem: Problem): Problem
}

/**
 * Presents a stream of the protocol's events: content blocks, each of which starts and stops before the next one. The
 * last events, with the final usage, wait for the charge.
 */
export function openPresenter(
  { requestId }: RequestIdentity,
  { showsThinking, estimateUsage, renameParam }: PresenterOptions,
): StreamPresenter {
  const blocks = openBlocks()
  const ending: Ending = { finishReason: null, stopSequence: null, hasCalls: false, refusal: '' }
  let hasSignedThinking = false
  let isOver = false

  const addCall = ({ index, id, function: fragment }: ToolCallFragment) => {
    ending.hasCalls = true
    return blocks.addToolUse(index, {
      id: callIdOf(id, { requestId, index }),
      name: fragment?.name ?? '',
      json: fragment?.arguments ?? '',
    })
  }

  const addThinking = (delta: ChunkDelta): string => {
    let frames = ''
    for (const block of thinkingBlocksIn(delta)) {
      hasSignedThinking = true
      frames +=
        block.type === 'thinking'
          ? blocks.addThinking(block.thinking, block.signature)
          : blocks.addRedactedThinking(block.data)
    }
    const { reasoning_content: thinking } = delta
    if (showsThinking && !hasSignedThinking && typeof thinking === 'string') {
      frames += blocks.addThinking(thinking)
    }
    return frames
  }

  const addChoice = (choice: ChunkChoice): string => {
    const delta: ChunkDelta = choice.delta ?? {} // some vendors omit it in the last chunk
    let frames = addThinking(delta)
    if (delta.content) frames += blocks.addText(delta.content)
    if (delta.refusal) {
      ending.refusal = appendPiece(ending.refusal, delta.refusal)
      frames += blocks.addText(delta.refusal)
    }
    for (const fragment of delta.tool_calls ?? []) frames += addCall(fragment)
    ending.finishReason = choice.finish_reason ?? ending.finishReason
    ending.stopSequence = stopSequenceOf(choice) ?? ending.stopSequence
    return frames
  }

  return {
    begin({ model, usage }) {
      const message = startOf({ requestId, model, usage: usage ?? estimateUsage() })
      return eventFrame({ type: 'message_start', message })
    },
    chunk(chunk) {
      let frames = ''
      for (const choice of wholeChunk(chunk).choices) if (choice.index === 0) frames += addChoice(choice)
      return frames
    },
    end(usage) {
      isOver = true
      const { stop_reason, stop_sequence, stop_details } = presentEnding(ending)
      const delta = { stop_reason, stop_sequence, stop_details, container: null }
      return (
        blocks.end() +
        eventFrame({ type: 'message_delta', delta, usage: presentCharged(usage) }) +
        eventFrame({ type: 'message_stop' })
      )
    },
    fail(problem, usage) {
      isOver = true
      const { body } = presentMessagesProblem(renameParam(problem), requestId)
      return eventFrame(usage ? { ...body, usage: presentCharged(usage) } : body)
    },
    keepAlive: () => (isOver ? '' : eventFrame({ type: 'ping' })),
  }
}

/** Returns the message without any block. */
function startOf({ requestId, model, usage }: { requestId: string; model: string; usage: Usage }) {
  const { output_tokens: _, ...input } = presentUsage(usage)
  return {
    ...beginMessage({ requestId, model }),
    content: [] as ContentBlock[],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    // Some clients add this number to the number in the last event, which counts the whole answer.
    usage: { ...input, output_tokens: 0, output_tokens_details: null },
  }
}

type Event =
  | { type: 'message_start'; message: object }
  | (Omit<Anthropic.RawMessageDeltaEvent, 'delta'> & { delta: object })
  | { type: 'message_stop' | 'ping' }
  | { type: 'error'; usage?: object }

function eventFrame(event: Event): string {
  return frameOf(event, event.type)
}
