import { hash } from 'node:crypto'
import { boundCounts, openCheck } from '../../../domain/inference/parse-chat-request.ts'
import { isRecord } from '../../../platform/checks.ts'
import { type Effort, efforts } from '../../../schema/catalog/chat-flags.ts'
import type { ChatEntry } from '../../../schema/catalog/entry.ts'
import { invalidParam } from '../../../schema/refuse-param.ts'
import type { ChatRequest } from '../../../schema/wire/chat.ts'
import { MessagesRequest } from '../../../schema/wire/messages.ts'
import type { ParamNames } from '../param-names.ts'
import { refuseStoredTurns } from '../refuse-stored-turns.ts'
import { buildMessages } from './chat-messages.ts'
import { buildTools } from './tools.ts'

const check = openCheck(MessagesRequest)

/** A request of the Messages protocol, and its translation into the canonical chat format. */
export interface ReadRequest {
  fields: MessagesRequest
  request: ChatRequest
  paramNames: ParamNames
}

/**
 * Parses and translates a body. Fields that only Anthropic supports (`context_management`, `container`, betas, `top_k`)
 * are dropped. The effort of thinking depends on the model (`effortFor`). Throws `thread_unsupported_request`,
 * `missing_parameter`, `invalid_request` or `unsupported_parameter`, which name the parameter in the client's notation.
 */
export function readRequest(body: unknown): ReadRequest {
  refuseStoredTurns(body)
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
    // For the estimate of an interrupted answer. `effortFor` decides which effort each model gets.
    ...(thinking?.type === 'disabled' && { reasoning_effort: 'none' }),
    ...(format && { response_format: format }),
    ...(user && { user }),
  }
  boundCounts(request)
  return { fields, request, paramNames }
}

/** The parameter names that are the same for every request. Messages and tools are added during their translation. */
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

const thinkingTypes = ['enabled', 'adaptive', 'disabled', 'between_tools'] as const

interface Thinking {
  type: (typeof thinkingTypes)[number]
  budget_tokens?: number
  display?: string
}

/** Unknown types of thinking are ignored. */
function readThinking(thinking: MessagesRequest['thinking']): Thinking | undefined {
  const type = thinkingTypes.find(known => known === thinking?.type)
  if (!thinking || !type) return undefined
  const { budget_tokens, display } = thinking
  return { type, ...(budget_tokens && { budget_tokens }), ...(display && { display }) }
}

function readFormat({ output_config, output_format }: MessagesRequest): ChatRequest['response_format'] {
  const inConfig = output_config?.format
  const path = inConfig ? 'output_config.format' : 'output_format'
  const format = inConfig ?? output_format
  if (!format) return undefined
  if (format.type !== 'json_schema') throw invalidParam(`${path}.type`, 'must be json_schema')
  if (!isRecord(format.schema)) {
    throw invalidParam(`${path}.schema`, 'must be an object: the JSON Schema of the answer')
  }
  const named = { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema, strict: true } }
  return named
}

const longestUser = 256

/**
 * Returns the end user, whose prompts share a cache partition. Claude Code sends JSON with a session ID, which is
 * removed, because its prompts are the same in every session.
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

type ThinkingFields = Pick<MessagesRequest, 'thinking' | 'output_config'>

/**
 * Returns the `reasoning_effort` for a model: the model's effort that is nearest to the effort or budget that the
 * client sent. Returns undefined if the model has none, or if the client sent none.
 */
export function effortFor(fields: ThinkingFields, { chat }: ChatEntry): ChatRequest['reasoning_effort'] {
  const wanted = wantedEffort(fields)
  const known = efforts.filter(effort => chat.reasoning?.efforts[effort] !== undefined)
  if (!wanted || known.length === 0) return undefined
  const rank = efforts.indexOf(wanted)
  const below = known.findLast(effort => efforts.indexOf(effort) <= rank)
  // A client that requests thinking gets more of it rather than none.
  const isFit = below !== undefined && (below !== 'none' || wanted === 'none')
  return isFit ? below : known.find(effort => efforts.indexOf(effort) >= rank)
}

/** The reasoning effort for each budget of thinking tokens. */
const budgets: [upTo: number, effort: Effort][] = [
  [1_024, 'minimal'],
  [4_096, 'low'],
  [12_288, 'medium'],
  [32_768, 'high'],
  [Infinity, 'xhigh'],
]

function wantedEffort({ thinking, output_config: output }: ThinkingFields): Effort | undefined {
  if (thinking?.type === 'disabled') return 'none'
  const named = efforts.find(effort => effort === output?.effort)
  if (named) return named
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined
  return budget ? budgets.find(([upTo]) => budget <= upTo)?.[1] : undefined
}
