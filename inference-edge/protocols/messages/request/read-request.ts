import { hash } from 'node:crypto'
import { boundCounts } from '../../../../domain/inference/bound-counts.ts'
import { openCheck } from '../../../../domain/inference/open-check.ts'
import { isRecord } from '../../../../platform/is-record.ts'
import { Problem } from '../../../../schema/errors.ts'
import type { ChatRequest } from '../../../../schema/wire/chat.ts'
import { MessagesRequest } from '../../../../schema/wire/messages.ts'
import type { ParamNames } from '../../param-names.ts'
import { buildMessages } from './build-messages.ts'
import { buildTools } from './build-tools.ts'

const check = openCheck(MessagesRequest)

/** A request of the Messages protocol, and the same in the words of chat. */
export interface ReadRequest {
  fields: MessagesRequest
  request: ChatRequest
  paramNames: ParamNames
}

/**
 * Reads a body of the Messages protocol. What only its own vendor could do (`context_management`, `container`, betas)
 * is left out, `top_k` too, and how long to think waits for the model (`fit-thinking.ts`). Throws Problem, naming the
 * parameter as the client spells it.
 */
export function readRequest(body: unknown): ReadRequest {
  const fields = check(body)
  const paramNames = openParamNames()
  const messages = buildMessages(fields, paramNames)
  const thinking = readThinking(fields.thinking)
  const format = readFormat(fields)
  const user = readUser(fields.metadata?.user_id)
  const request: ChatRequest = {
    model: fields.model,
    messages,
    ...buildTools(fields, paramNames),
    ...(fields.stream && { stream: true }),
    ...(fields.max_tokens != null && { max_completion_tokens: fields.max_tokens }),
    ...(fields.temperature != null && { temperature: fields.temperature }),
    ...(fields.top_p != null && { top_p: fields.top_p }),
    ...(fields.stop_sequences && fields.stop_sequences.length > 0 && { stop: fields.stop_sequences }),
    ...(thinking && { thinking }),
    // What an answer that broke off is reckoned by; each model is told what it knows of it.
    ...(thinking?.type === 'disabled' && { reasoning_effort: 'none' }),
    ...(format && { response_format: format }),
    ...(user && { user }),
  }
  boundCounts(request)
  return { fields, request, paramNames }
}

function openParamNames(): ParamNames {
  return new Map([
    ['max_completion_tokens', 'max_tokens'],
    ['stop', 'stop_sequences'],
    ['response_format', 'output_config.format'],
    ['reasoning_effort', 'output_config.effort'],
    ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use'],
    ['tool_choice', 'tool_choice'],
    ['user', 'metadata.user_id'],
  ])
}

/** Kinds of thinking that are not known say nothing. */
function readThinking(asked: MessagesRequest['thinking']): Thinking | undefined {
  const type = kinds.find(kind => kind === asked?.type)
  if (!asked || !type) return undefined
  const { budget_tokens, display } = asked
  return { type, ...(budget_tokens && { budget_tokens }), ...(display && { display }) }
}

interface Thinking {
  type: (typeof kinds)[number]
  budget_tokens?: number
  display?: string
}

const kinds = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const

function readFormat({ output_config, output_format }: MessagesRequest): ChatRequest['response_format'] {
  const inConfig = output_config?.format
  const at = inConfig ? 'output_config.format' : 'output_format'
  const format = inConfig ?? output_format
  if (!format) return undefined
  if (format.type !== 'json_schema') {
    const message = `${at}.type must be json_schema.`
    throw new Problem('invalid_request', { param: `${at}.type`, message })
  }
  if (!isRecord(format.schema)) {
    const message = `${at}.schema must be an object: the JSON Schema of the answer.`
    throw new Problem('invalid_request', { param: `${at}.schema`, message })
  }
  const named = { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } }
  return named
}

const longestUser = 256

/**
 * Whose prefixes are cached together. An agent's client writes JSON, whose session ends sooner than its prompts: the
 * session is left out.
 */
function readUser(userId: string | null | undefined): string | undefined {
  if (!userId) return undefined
  const user = userId.startsWith('{') ? withoutSession(userId) : userId
  return user.length <= longestUser ? user : hash('sha256', user, 'hex')
}

function withoutSession(userId: string): string {
  try {
    const { session_id: _, ...rest } = JSON.parse(userId)
    return JSON.stringify(rest)
  } catch {
    return userId
  }
}
