import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schema/usage.ts'
import type { FinishReason, MadeCall, ThinkingBlock } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { countOf, parseObject, readShape, requireText } from '../shared/answer.ts'
import { failureOfErrorBody } from './failure.ts'
import { isAnswer } from './response-format.ts'
import type { Answer, StopDetails, StopReason, UsageBody } from './wire.ts'

/** A whole answer. Thoughts are shown beside it; the vendor's own tools are left out. Throws `broken`. */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  return readShape(() => readMessage(body, call))
}

function readMessage(body: Buffer, call: ChatCall): ChatAnswer {
  const answer = parseObject(body.toString())
  if (answer.type === 'error') throw failureOfErrorBody(answer)
  if (!isMessage(answer)) {
    throw new UpstreamFailure('broken', {
      message: 'the vendor answered with something other than a message',
    })
  }
  const { text, calls, thoughts, isGivenByTool } = readContent(answer, call)
  const refusal = refusalOf(answer.stop_reason, answer.stop_details)
  return {
    completion: {
      id: answer.id,
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: call.request.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: text === '' && calls.length > 0 ? null : text,
            refusal: refusal ?? null,
            ...(calls.length > 0 && { tool_calls: calls }),
            ...showThoughts(thoughts),
          },
          logprobs: null,
          finish_reason: finishReasonOf(answer.stop_reason, { isGivenByTool }),
          ...stopOf(answer),
        },
      ],
    },
    usage: readUsage(answer.usage),
  }
}

/** Which of the stop sequences ended the answer. */
function stopOf({ stop_sequence: stop }: Pick<Answer, 'stop_sequence'>) {
  return typeof stop === 'string' ? { stop_sequence: stop } : {}
}

function isMessage(value: object): value is Answer {
  return Reflect.get(value, 'type') === 'message' && Array.isArray(Reflect.get(value, 'content'))
}

function readContent({ content, stop_reason: reason }: Answer, call: ChatCall) {
  const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded'
  const cut = isCut ? content.at(-1) : undefined
  let text = ''
  let isGivenByTool = false
  const calls: MadeCall[] = []
  const thoughts: ThinkingBlock[] = []
  for (const block of content) {
    if (block.type === 'text') text += requireText(block.text)
    if (block.type === 'thinking' || block.type === 'redacted_thinking') thoughts.push(readThought(block))
    if (block.type !== 'tool_use') continue
    const id = requireText(block.id)
    const name = requireText(block.name)
    const args = block === cut ? cutArguments(block.input) : JSON.stringify(block.input ?? {})
    if (!isAnswer(name, call)) calls.push({ id, type: 'function', function: { name, arguments: args } })
    else {
      isGivenByTool = true
      text += args
    }
  }
  return { text, calls, thoughts, isGivenByTool }
}

/**
 * The vendor closes what it cut, and shows a call without its arguments as one that has none. As in a stream
 * the arguments stay open, so that nobody takes them for whole.
 */
function cutArguments(input: unknown): string {
  return JSON.stringify(input ?? {}).slice(0, -1)
}

function readThought(block: Anthropic.ThinkingBlock | Anthropic.RedactedThinkingBlock): ThinkingBlock {
  if (block.type === 'redacted_thinking') return { type: block.type, data: requireText(block.data) }
  const { type, thinking, signature } = block
  return { type, thinking: requireText(thinking), signature: requireText(signature) }
}

function showThoughts(thoughts: ThinkingBlock[]) {
  if (thoughts.length === 0) return {}
  const text = thoughts.map(thought => (thought.type === 'thinking' ? thought.thinking : '')).join('')
  return { ...(text && { reasoning_content: text }), thinking_blocks: thoughts }
}

const everyReason: Record<StopReason, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}
const finishReasons = new Map(Object.entries(everyReason))

/** Why an answer ended. An answer given by a tool ended as text does. */
export function finishReasonOf(
  reason: StopReason | null | undefined,
  { isGivenByTool }: { isGivenByTool: boolean },
): FinishReason {
  const finish = finishReasons.get(reason ?? 'end_turn') ?? 'stop'
  return finish === 'tool_calls' && isGivenByTool ? 'stop' : finish
}

/** What the vendor says of a refusal, if it does. Throws `broken` where that is no text. */
export function refusalOf(
  reason: StopReason | null | undefined,
  details: StopDetails | null | undefined,
): string | undefined {
  if (reason !== 'refusal') return undefined
  if (details?.explanation) return requireText(details.explanation)
  return details?.category ? `The model refused: ${requireText(details.category)}.` : undefined
}

/**
 * The vendor's usage. Its `input_tokens` leave out what was read from the cache and what was written to it;
 * thinking is part of the output. Undefined where it is not told.
 */
export function readUsage(body: UsageBody | null | undefined): Usage | undefined {
  if (typeof body?.input_tokens !== 'number' || typeof body.output_tokens !== 'number') return undefined
  const cachedTokens = countOf(body.cache_read_input_tokens)
  const cacheCreationTokens = countOf(body.cache_creation_input_tokens)
  return {
    promptTokens: body.input_tokens + cachedTokens + cacheCreationTokens,
    cachedTokens,
    cacheCreationTokens,
    completionTokens: body.output_tokens,
    reasoningTokens: countOf(body.output_tokens_details?.thinking_tokens),
  }
}
