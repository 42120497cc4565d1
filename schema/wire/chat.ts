import { type Static, Type } from 'typebox'
import {
  CacheControl,
  ContentPart,
  CustomToolCall,
  chatBounds,
  shapedByType,
  ThinkingBlock,
  ToolCall,
} from './chat-content.ts'
import { open, optional } from './shapes.ts'

export type { ContentPart, CustomToolCall, ThinkingBlock, ToolCall } from './chat-content.ts'
export { chatBounds } from './chat-content.ts'

/**
 * The canonical chat format: requests and responses of `POST /v1/chat/completions`, in OpenAI's format. Other protocols
 * are translated to it, and adapters translate it for each vendor. Undeclared fields are passed on unchanged.
 */
export const Message = Type.Object(
  {
    role: Type.Enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
    content: optional(Type.Union([Type.String(), Type.Array(ContentPart)])),
    name: optional(Type.String()),
    tool_calls: optional(Type.Array(Type.Union([ToolCall, CustomToolCall]))),
    tool_call_id: optional(Type.String()),
    thinking_blocks: optional(Type.Array(ThinkingBlock)),
    /** Whether the tool call failed, in a message with the role `tool`. */
    is_error: optional(Type.Boolean()),
    cache_control: optional(CacheControl),
  },
  open,
)

/** A function that the model may call; `parameters` is a JSON Schema. */
export const FunctionTool = Type.Object(
  {
    type: Type.Literal('function'),
    function: Type.Object(
      {
        name: Type.String({ minLength: 1, maxLength: 128 }),
        description: optional(Type.String()),
        parameters: optional(Type.Record(Type.String(), Type.Unknown())),
        strict: optional(Type.Boolean()),
      },
      open,
    ),
    cache_control: optional(CacheControl),
  },
  open,
)

/** A tool of another type, which only some vendors support. */
export const OtherTool = Type.Object({ type: Type.String(), cache_control: optional(CacheControl) }, open)

export const Tool = Type.Unsafe<
  Omit<Static<typeof FunctionTool>, 'type' | 'function'> & {
    type: string
    function?: Static<typeof FunctionTool>['function']
  }
>(shapedByType(OtherTool, { function: FunctionTool }))

/**
 * The `thinking` of `POST /v1/messages`. It takes precedence over `reasoning_effort`. It is not sent to vendors that
 * support only efforts.
 */
export const Thinking = Type.Object(
  {
    type: Type.Enum(['enabled', 'adaptive', 'disabled', 'between_tools']),
    budget_tokens: optional(Type.Integer({ minimum: 1 })),
    display: optional(Type.String()),
  },
  open,
)

export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(Message, { minItems: 1, maxItems: chatBounds.messages }),
    temperature: optional(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: optional(Type.Number({ minimum: 0, maximum: 1 })),
    max_tokens: optional(Type.Integer({ minimum: 1 })),
    max_completion_tokens: optional(Type.Integer({ minimum: 1 })),
    n: optional(Type.Integer({ minimum: 1, maximum: 128 })),
    stream: optional(Type.Boolean()),
    stream_options: optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open)),
    stop: optional(Type.Union([Type.String(), Type.Array(Type.String())])),
    seed: optional(Type.Integer()),
    response_format: optional(Type.Object({ type: Type.String() }, open)),
    presence_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    frequency_penalty: optional(Type.Number({ minimum: -2, maximum: 2 })),
    tools: optional(Type.Array(Tool, { maxItems: chatBounds.tools })),
    tool_choice: optional(Type.Union([Type.String(), Type.Object({ type: Type.String() }, open)])),
    parallel_tool_calls: optional(Type.Boolean()),
    reasoning_effort: optional(Type.String()),
    thinking: optional(Thinking),
    service_tier: optional(Type.String()),
    prompt_cache_key: optional(Type.String({ maxLength: 512 })),
    user: optional(Type.String({ maxLength: 512 })),
    safety_identifier: optional(Type.String({ maxLength: 512 })),
  },
  open,
)

export type ChatRequest = Static<typeof ChatRequest>
export type Message = Static<typeof Message>
export type Tool = Static<typeof Tool>

/** The `usage` of a response. Fields about the prompt cache are omitted if they are zero (docs/behaviour.md, Chat). */
export interface ChatUsageBody {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  /** The charge, in US dollars. Vendors do not send it. */
  cost?: number
  prompt_tokens_details?: {
    cached_tokens?: number
    cache_read_input_tokens?: number
    cache_creation_input_tokens?: number
    [other: string]: unknown
  }
  completion_tokens_details?: { reasoning_tokens?: number; [other: string]: unknown }
  [other: string]: unknown
}

/** `chat.completion`. Fields that a vendor adds are kept. */
export interface ChatCompletion {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: ChatChoice[]
  usage?: ChatUsageBody
  [other: string]: unknown
}

/** The reason for which an answer ended. Clients support no other values. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

export interface ChatChoice {
  index: number
  message: AssistantMessage
  logprobs: Logprobs | null
  finish_reason: FinishReason
  /** The stop sequence that ended the answer, if the vendor reports it. */
  stop_sequence?: string
  [other: string]: unknown
}

export interface AssistantMessage {
  role: 'assistant'
  content: string | null
  refusal: string | null
  tool_calls?: MadeCall[]
  /** The model's thinking as text, if the vendor shows it, and in the form that the vendor expects back. */
  reasoning_content?: string | null
  thinking_blocks?: ThinkingFragment[] | undefined
  [other: string]: unknown
}

/** A call in an answer, where its `type` is required. */
export type MadeCall = (ToolCall & { type: 'function' }) | CustomToolCall

/** The log probabilities of an answer's tokens. */
export interface Logprobs {
  content: TokenLogprob[] | null
  refusal: TokenLogprob[] | null
}

export interface TokenLogprob extends TokenRank {
  top_logprobs: TokenRank[]
}

export interface TokenRank {
  token: string
  logprob: number
  /** The bytes in UTF-8. */
  bytes: number[] | null
}

/** `chat.completion.chunk`. */
export interface ChatChunk {
  id: string
  object: 'chat.completion.chunk'
  created: number
  model: string
  choices: ChunkChoice[]
  usage?: ChatUsageBody | null
  [other: string]: unknown
}

export interface ChunkChoice {
  index: number
  delta: ChunkDelta
  logprobs?: Logprobs | null
  finish_reason: FinishReason | null
  stop_sequence?: string
  [other: string]: unknown
}

export interface ChunkDelta {
  role?: 'assistant'
  content?: string | null
  refusal?: string | null
  tool_calls?: ToolCallFragment[]
  reasoning_content?: string | null
  thinking_blocks?: ThinkingFragment[] | undefined
  [other: string]: unknown
}

/** A thinking block, or a fragment of one: text and signature come in separate fragments. */
export interface ThinkingFragment {
  /** The position among the thinking blocks of the answer. */
  index?: number
  type: 'thinking' | 'redacted_thinking'
  thinking?: string
  signature?: string
  data?: string
}

export interface ToolCallFragment {
  index: number
  id?: string
  type?: 'function'
  function?: { name?: string; arguments?: string }
  [other: string]: unknown
}
