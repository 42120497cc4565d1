import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schema/usage.ts'
import type { FinishReason, MadeCall, ThinkingBlock } from '../../../schema/wire/chat.ts'
import type { ChatAnswer, ChatCall } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'
import { countOf, guardShape, parseObject, requireText } from '../shared/answer.ts'
import { failureOfErrorBody } from './failure.ts'
import { isAnswerTool } from './response-format.ts'
import type { MessageBody, StopDetails, StopReason, UsageBody } from './wire.ts'

/**
 * Reads a whole answer. Thinking is returned beside the text. Calls of tools that the vendor runs are dropped. Throws
 * `broken`.
 */
export function readAnswer(body: Buffer, call: ChatCall): ChatAnswer {
  return guardShape(() => readMessage(body, call))
}

function readMessage(body: Buffer, call: ChatCall): ChatAnswer {
  const answer = parseObject(body.toString())
  if (answer.type === 'error') throw failureOfErrorBody(answer)
  if (!isMessage(answer)) {
    throw new UpstreamFailure('broken', {
      message: 'the vendor answered with something other than a message',
    })
  }
  const { text, calls, thinking, isGivenByTool } = readContent(answer, call)
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
            ...presentThinking(thinking),
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

/** Returns the stop sequence that ended the answer, if any. */
function stopOf({ stop_sequence: stop }: Pick<MessageBody, 'stop_sequence'>) {
  return typeof stop === 'string' ? { stop_sequence: stop } : {}
}

function isMessage(value: object): value is MessageBody {
  return Reflect.get(value, 'type') === 'message' && Array.isArray(Reflect.get(value, 'content'))
}

function readContent({ content, stop_reason: reason }: MessageBody, call: ChatCall) {
  const isCut = reason === 'max_tokens' || reason === 'model_context_window_exceeded'
  const cutBlock = isCut ? content.at(-1) : undefined
  let text = ''
  let isGivenByTool = false
  const calls: MadeCall[] = []
  const thinking: ThinkingBlock[] = []
  for (const block of content) {
    if (block.type === 'text') text += requireText(block.text)
    if (block.type === 'thinking' || block.type === 'redacted_thinking') thinking.push(readThinking(block))
    if (block.type !== 'tool_use') continue
    const made = readCall(block, { isCut: block === cutBlock })
    if (isAnswerTool(made.function.name, call)) {
      isGivenByTool = true
      text += made.function.arguments
    } else calls.push(made)
  }
  return { text, calls, thinking, isGivenByTool }
}

function readCall({ id, name, input }: Anthropic.ToolUseBlock, { isCut }: { isCut: boolean }) {
  const text = isCut ? cutArguments(input) : JSON.stringify(input ?? {})
  return {
    id: requireText(id),
    type: 'function' as const,
    function: { name: requireText(name), arguments: text },
  }
}

/**
 * Returns the arguments of a call that the token limit cut off. The vendor closes their JSON, and shows a call without
 * arguments as complete. Here the JSON stays open, as in a stream, so that no client considers it complete.
 */
function cutArguments(input: unknown): string {
  return JSON.stringify(input ?? {}).slice(0, -1)
}

function readThinking(block: Anthropic.ThinkingBlock | Anthropic.RedactedThinkingBlock): ThinkingBlock {
  if (block.type === 'redacted_thinking') return { type: block.type, data: requireText(block.data) }
  const { type, thinking, signature } = block
  return { type, thinking: requireText(thinking), signature: requireText(signature) }
}

function presentThinking(thinking: ThinkingBlock[]) {
  if (thinking.length === 0) return {}
  const text = thinking.map(block => (block.type === 'thinking' ? block.thinking : '')).join('')
  return { ...(text && { reasoning_content: text }), thinking_blocks: thinking }
}

const finishReasonsOfStops: Record<StopReason, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}
const finishReasons = new Map(Object.entries(finishReasonsOfStops))

/** Returns why an answer ended. An answer that is the arguments of a tool call ends like text. */
export function finishReasonOf(
  reason: StopReason | null | undefined,
  { isGivenByTool }: { isGivenByTool: boolean },
): FinishReason {
  const finish = finishReasons.get(reason ?? 'end_turn') ?? 'stop'
  return finish === 'tool_calls' && isGivenByTool ? 'stop' : finish
}

/** Returns the vendor's explanation of a refusal, if any. Throws `broken` if it is not a string. */
export function refusalOf(
  reason: StopReason | null | undefined,
  details: StopDetails | null | undefined,
): string | undefined {
  if (reason !== 'refusal') return undefined
  if (details?.explanation) return requireText(details.explanation)
  return details?.category ? `The model refused: ${requireText(details.category)}.` : undefined
}

/**
 * Returns the usage, or undefined if the vendor reports none. The vendor's `input_tokens` exclude tokens that were read
 * from and written to the cache. Thinking is part of the output.
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
