import { z } from 'zod'
import type { Exchange, Refusal } from '../../server/exchange.ts'
import type { Json } from '../../server/json.ts'
import { checkRules, type Mismatch, type Rule, readShape } from '../../server/shape.ts'
import { anyObject, type Prompt, type PromptMessage } from '../model/prompt.ts'
import { refuse, refuseMismatch, refuseParam } from './host.ts'
import { type ChatBody, chatShape, type Message, traitsOf } from './shape.ts'
import { findFlaw, readTools } from './tools.ts'

export interface ChatRequest {
  readonly prompt: Prompt
  readonly isStreamed: boolean
  /** Whether the last chunk of a stream contains the usage. */
  readonly includesUsage: boolean
  /** Whether chunks are padded, so that their size does not reveal their text. */
  readonly isObfuscated: boolean
  /** Whether calls are presented as `function_call`, because the request contains `functions`. */
  readonly callsFunctions: boolean
  readonly cacheKey: string | undefined
  /** The number of likely tokens to present for each token; undefined if logprobs are not requested. */
  readonly topLogprobs: number | undefined
}

/** Parses a chat request as strictly as OpenAI does. Throws OpenAI's error for an invalid one. */
export function parseChatRequest({ json }: Pick<Exchange, 'json'>): ChatRequest {
  const chat = readShape(chatShape, json, refuseMismatch)
  checkRules(chat, rules, refuseParam)
  const traits = traitsOf(chat.model)
  readShape(modelShapes[traits.isReasoning ? 'reasoning' : 'plain'], json, refuseUnsupported)
  const messages = chat.messages.map(readMessage)
  checkToolResults(messages)
  return {
    prompt: {
      model: chat.model,
      messages,
      ...readTools(chat),
      answerSchema: readAnswerSchema(chat, messages),
      maxTokens: chat.max_tokens ?? chat.max_completion_tokens ?? undefined,
      stops: (chat.stop ?? []).filter(Boolean),
      candidateCount: chat.n ?? 1,
      reasoningTokens: tokensOfEffort[chat.reasoning_effort ?? (traits.reasonsByDefault ? 'medium' : 'none')],
      seed: chat.seed ?? undefined,
    },
    isStreamed: chat.stream ?? false,
    includesUsage: chat.stream_options?.include_usage ?? false,
    isObfuscated: chat.stream_options?.include_obfuscation ?? true,
    callsFunctions: chat.functions != null,
    cacheKey: chat.prompt_cache_key ?? undefined,
    topLogprobs: chat.logprobs ? (chat.top_logprobs ?? 0) : undefined,
  }
}

const tokensOfEffort = { none: 0, minimal: 16, low: 32, medium: 64, high: 128, xhigh: 256, max: 512 }

const onlyWith = (param: keyof ChatBody, required: keyof ChatBody): Rule<ChatBody> => [
  param,
  `The '${param}' parameter is only allowed when '${required}' is enabled.`,
  chat => chat[param] != null && !chat[required],
]
const rules: readonly Rule<ChatBody>[] = [
  onlyWith('top_logprobs', 'logprobs'),
  onlyWith('metadata', 'store'),
  onlyWith('stream_options', 'stream'),
  onlyWith('parallel_tool_calls', 'tools'),
  onlyWith('function_call', 'functions'),
  [
    'tool_choice',
    "'tool_choice' is only allowed when 'tools' are specified.",
    ({ tool_choice: choice, tools }) => choice && choice.type !== 'none' && !tools,
  ],
  [
    'max_tokens',
    "'max_tokens' and 'max_completion_tokens' exclude each other.",
    chat => chat.max_tokens != null && chat.max_completion_tokens != null,
  ],
  [
    'messages',
    'Only an assistant message with calls can have null content.',
    ({ messages }) =>
      messages.some(
        message =>
          message.content == null &&
          !(message.role === 'assistant' && (message.tool_calls || message.refusal || message.function_call)),
      ),
  ],
]

const only = (value: number | boolean) => z.literal(value).nullish()
const none = z.null().optional()
/** Parameters that a model refuses: reasoning models sampling, other models an effort. */
const modelShapes = {
  reasoning: z.object({
    ...{ temperature: only(1), top_p: only(1), presence_penalty: only(0), frequency_penalty: only(0) },
    ...{ logprobs: only(false), top_logprobs: none, logit_bias: none, max_tokens: none },
  }),
  plain: z.object({ reasoning_effort: none }),
}

function refuseUnsupported({ path: [name] }: Mismatch): Refusal {
  const param = String(name)
  const message = `Unsupported parameter: '${param}' is not supported with this model.`
  return refuse(400, message, { param, code: 'unsupported_parameter' })
}

function readMessage(message: Message): PromptMessage {
  const { role, content } = message
  const texts: string[] = []
  const media: string[] = []
  for (const part of content ?? []) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'refusal') texts.push(part.refusal)
    else if (part.type === 'image_url') media.push(part.image_url.url)
    else media.push(part.type === 'file' ? JSON.stringify(part.file) : part.input_audio.data)
  }
  const calls = role === 'assistant' ? (message.tool_calls ?? []) : []
  return {
    role: role === 'developer' ? 'system' : role,
    text: texts.join('\n'),
    media,
    calls: calls.map(call =>
      call.type === 'function'
        ? { id: call.id, ...call.function }
        : { id: call.id, name: call.custom.name, arguments: call.custom.input },
    ),
    callId: role === 'tool' ? message.tool_call_id : undefined,
  }
}

/** Refuses tool results without a call, and calls whose results do not follow immediately. */
function checkToolResults(messages: readonly PromptMessage[]): void {
  let open = new Set<string>()
  let callsAt = 0
  const refuseAt = (index: number, message: string) =>
    refuse(400, message, { param: `messages.[${index}].role` })
  for (const [index, message] of [...messages, undefined].entries()) {
    const { callId, calls = [] } = message ?? {}
    if (callId !== undefined) {
      if (open.delete(callId)) continue
      throw refuseAt(
        index,
        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      )
    }
    if (open.size > 0)
      throw refuseAt(
        callsAt,
        "An assistant message with 'tool_calls' must be followed by tool messages for each.",
      )
    open = new Set(calls.map(call => call.id))
    callsAt = index
  }
}

function readAnswerSchema(
  { response_format: format }: ChatBody,
  messages: readonly PromptMessage[],
): Json | undefined {
  if (format?.type === 'json_schema') {
    const { name, schema, strict } = format.json_schema
    const flaw = schema && findFlaw(schema, strict)
    if (!flaw) return schema ?? anyObject
    const message = `Invalid schema for response_format '${name}': ${flaw}`
    throw refuse(400, message, { param: 'response_format' })
  }
  if (format?.type !== 'json_object') return undefined
  if (messages.some(({ text }) => /json/i.test(text))) return anyObject
  throw refuse(400, "'messages' must contain the word 'json' for this format.", { param: 'messages' })
}
