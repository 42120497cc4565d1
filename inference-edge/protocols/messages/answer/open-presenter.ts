import type Anthropic from '@anthropic-ai/sdk'
import type { Problem } from '../../../../schema/errors.ts'
import type { Usage } from '../../../../schema/usage.ts'
import type { ChunkChoice, ChunkDelta, ToolCallFragment } from '../../../../schema/wire/chat.ts'
import { frameOf, type RequestIdentity, type StreamPresenter } from '../../protocol.ts'
import { presentProblem } from '../errors.ts'
import {
  beginMessage,
  type ContentBlock,
  callIdOf,
  type Ending,
  presentEnding,
  presentUsage,
  stopSequenceOf,
  thoughtsIn,
} from './present-answer.ts'
import { openBlocks } from './stream-blocks.ts'

export interface PresenterOptions {
  /** Thoughts that no vendor signed are shown. */
  showsThoughts: boolean
  /** What the prompt probably has, where the vendor says so only at the end: some clients read it nowhere else. */
  estimate(): Usage
  renameParam(problem: Problem): Problem
}

/**
 * A stream of the events of the Messages protocol: one block after the other, each begun and stopped. What the vendor
 * says by turns is said block by block. The end, with the true usage, waits for the charge.
 */
export function openPresenter(
  { requestId }: RequestIdentity,
  { showsThoughts, estimate, renameParam }: PresenterOptions,
): StreamPresenter {
  const blocks = openBlocks()
  const ending: Ending = { finishReason: null, stopSequence: null, hasCalls: false, refusal: '' }
  let hasSignedThoughts = false
  let isOver = false

  const addCall = (fragment: ToolCallFragment) => {
    ending.hasCalls = true
    const { index, id, function: made } = fragment
    return blocks.call(index, {
      id: callIdOf(id, { requestId, index }),
      name: made?.name ?? '',
      text: made?.arguments ?? '',
    })
  }

  const addChoice = (choice: ChunkChoice): string => {
    const { delta: told, finish_reason: reason } = choice
    const delta: ChunkDelta = told ?? {} // vendors leave it out of a last chunk
    let frames = ''
    for (const block of thoughtsIn(delta)) {
      hasSignedThoughts = true
      frames +=
        block.type === 'thinking' ? blocks.think(block.thinking, block.signature) : blocks.redact(block.data)
    }
    const { reasoning_content: thought } = delta
    if (showsThoughts && !hasSignedThoughts && typeof thought === 'string') frames += blocks.think(thought)
    if (delta.content) frames += blocks.say(delta.content)
    if (delta.refusal) {
      ending.refusal += delta.refusal
      frames += blocks.say(delta.refusal)
    }
    for (const fragment of delta.tool_calls ?? []) frames += addCall(fragment)
    ending.finishReason = reason ?? ending.finishReason
    ending.stopSequence = stopSequenceOf(choice) ?? ending.stopSequence
    return frames
  }

  return {
    begin({ model, usage }) {
      const { output_tokens: _, ...input } = presentUsage(usage ?? estimate())
      const message = {
        ...beginMessage({ requestId, model }),
        content: [] as ContentBlock[],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        // Some clients add this to the count of the last event, which is of the whole answer.
        usage: { ...input, output_tokens: 0, output_tokens_details: null },
      }
      return eventFrame({ type: 'message_start', message })
    },
    chunk({ choices }) {
      let frames = ''
      for (const choice of choices) if (choice.index === 0) frames += addChoice(choice)
      return frames
    },
    end(usage) {
      isOver = true
      const { stop_reason, stop_sequence, stop_details } = presentEnding(ending)
      const delta = { stop_reason, stop_sequence, stop_details, container: null }
      return (
        blocks.end() +
        eventFrame({ type: 'message_delta', delta, usage: presentUsage(usage) }) +
        eventFrame({ type: 'message_stop' })
      )
    },
    fail(problem) {
      isOver = true
      return eventFrame(presentProblem(renameParam(problem), requestId).body)
    },
    keepAlive: () => (isOver ? '' : eventFrame({ type: 'ping' })),
  }
}

type Event =
  | { type: 'message_start'; message: object }
  | (Omit<Anthropic.RawMessageDeltaEvent, 'delta'> & { delta: object })
  | { type: 'message_stop' | 'ping' | 'error' }

/** Clients know an event by its name as well as by its type. */
function eventFrame(event: Event): string {
  return `event: ${event.type}\n${frameOf(event)}`
}
