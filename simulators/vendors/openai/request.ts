import type { Exchange, Refusal } from '../../server/exchange.ts'
import { isRecord, type Json } from '../../server/json.ts'
import { readShape } from '../../server/shape.ts'
import { type AnswerFormat, anyObject, type Prompt, type PromptMessage } from '../model/prompt.ts'
import { refuse, refuseMismatch, refuseModel, refuseNullContent } from './errors.ts'
import { type ChatBody, chatShape, type Message, type ModelTraits, traitsOf } from './shape.ts'
import { findFlaw, readFunctions, readTools } from './tools.ts'

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
export function parseChatRequest({ request, body }: Pick<Exchange, 'request' | 'body'>): ChatRequest {
  const contentType = request.headers['content-type'] ?? ''
  if (!contentType.includes('application/json')) throw refuseContentType(contentType, 'application/json')
  if (body.json === undefined) throw refuse(400, unreadable)
  const traits = checkModel(body.json)
  const chat = readShape(chatShape, body.json, refuseMismatch)
  checkSettings(chat)
  checkReasoning(chat, traits)
  const messages = chat.messages.map(readMessage)
  checkToolResults(messages)
  return {
    prompt: {
      model: chat.model,
      messages,
      ...(chat.functions || chat.function_call ? readFunctions(chat) : readTools(chat)),
      answerFormat: readAnswerFormat(chat, messages),
      maxTokens: chat.max_tokens ?? chat.max_completion_tokens ?? undefined,
      stops: [chat.stop ?? []].flat().filter(Boolean),
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

export function refuseContentType(sent: string, accepted: string): Refusal {
  const message = `Unsupported content type: '${sent}'. This API method only accepts '${accepted}' requests, but you specified the header 'Content-Type: ${sent}'. Please try again with a supported content type.`
  return refuse(400, message, { code: 'unsupported_content_type' })
}

const unreadable =
  "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)"
const tokensOfEffort = { none: 0, minimal: 16, low: 32, medium: 64, high: 128, xhigh: 256, max: 512 }

function checkModel(body: Json): ModelTraits {
  const model = isRecord(body) ? body.model : ''
  if (isRecord(body) && !model) throw refuse(400, 'you must provide a model parameter')
  const traits = traitsOf(String(model))
  if (traits.isMissing) throw refuseModel(String(model))
  return traits
}

/** Pairs of parameters of which the first requires the second. */
const dependencies = [
  ['top_logprobs', 'logprobs'],
  ['metadata', 'store'],
  ['stream_options', 'stream'],
] as const

function checkSettings(chat: ChatBody): void {
  for (const [param, required] of dependencies) {
    if (chat[param] == null || chat[required]) continue
    throw refuse(400, `The '${param}' parameter is only allowed when '${required}' is enabled.`, { param })
  }
  if (chat.max_tokens == null || chat.max_completion_tokens == null) return
  const message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
  throw refuse(400, message, { param: 'max_tokens', code: 'invalid_parameter_combination' })
}

/** The only values of the sampling parameters that reasoning models accept. */
const defaults = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 }
const samplingNames = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] as const

/** Refuses sampling for reasoning models, and an effort for other models. */
function checkReasoning(chat: ChatBody, { isReasoning }: ModelTraits): void {
  if (!isReasoning) {
    if (chat.reasoning_effort != null) throw refuseUnsupported('reasoning_effort')
    return
  }
  for (const name of samplingNames) {
    if ((chat[name] ?? defaults[name]) === defaults[name]) continue
    const message = `Unsupported value: '${name}' does not support ${chat[name]} with this model. Only the default (${defaults[name]}) value is supported.`
    throw refuse(400, message, { param: name, code: 'unsupported_value' })
  }
  if (chat.logprobs) throw refuseUnsupported('logprobs')
  for (const name of ['logit_bias', 'top_logprobs'] as const)
    if (chat[name] != null) throw refuseUnsupported(name)
  if (chat.max_tokens != null) throw refuseUnsupported('max_tokens', " Use 'max_completion_tokens' instead.")
}

function refuseUnsupported(param: string, advice = ''): Refusal {
  const message = `Unsupported parameter: '${param}' is not supported with this model.${advice}`
  return refuse(400, message, { param, code: 'unsupported_parameter' })
}

const promptRoles = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
} as const

function readMessage(message: Message, index: number): PromptMessage {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return {
    role: promptRoles[message.role],
    ...readContent(message, index),
    calls: calls.map(call =>
      call.type === 'function'
        ? { id: call.id, ...call.function }
        : { id: call.id, name: call.custom.name, arguments: call.custom.input },
    ),
    callId: message.role === 'tool' ? message.tool_call_id : undefined,
  }
}

function readContent(message: Message, index: number): Pick<PromptMessage, 'text' | 'media'> {
  const { content } = message
  if (typeof content === 'string') return { text: content, media: [] }
  if (content == null) {
    if (message.role === 'assistant' && (message.tool_calls || message.refusal || message.function_call))
      return { text: '', media: [] }
    throw refuseNullContent(index)
  }
  const texts: string[] = []
  const media: string[] = []
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'refusal') texts.push(part.refusal)
    else if (part.type === 'image_url') media.push(part.image_url.url)
    else media.push(part.type === 'file' ? JSON.stringify(part.file) : part.input_audio.data)
  }
  return { text: texts.join('\n'), media }
}

const orphan =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
const unanswered =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "

/** Refuses tool results without a call, and calls whose results do not follow immediately. */
function checkToolResults(messages: readonly PromptMessage[]): void {
  let open = new Set<string>()
  let callsAt = 0
  const checkAnswered = () => {
    if (open.size > 0)
      throw refuse(400, unanswered + [...open].join(', '), { param: `messages.[${callsAt}].role` })
  }
  for (const [index, message] of messages.entries()) {
    if (message.callId !== undefined) {
      if (!open.delete(message.callId)) throw refuse(400, orphan, { param: `messages.[${index}].role` })
      continue
    }
    checkAnswered()
    open = new Set(message.calls.map(call => call.id))
    callsAt = index
  }
  checkAnswered()
}

function readAnswerFormat(
  { response_format: format }: ChatBody,
  messages: readonly PromptMessage[],
): AnswerFormat {
  if (!format || format.type === 'text') return { kind: 'text' }
  if (format.type === 'json_schema') {
    const { name, schema, strict } = format.json_schema
    const flaw = schema && findFlaw(schema, strict ?? false)
    if (flaw) {
      const message = `Invalid schema for response_format '${name}': ${flaw}`
      throw refuse(400, message, { param: 'response_format' })
    }
    return { kind: 'json', schema: schema ?? anyObject }
  }
  if (messages.some(({ text }) => /json/i.test(text))) return { kind: 'json', schema: anyObject }
  const message =
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
  throw refuse(400, message, { param: 'messages' })
}
