import { type Static, Type } from 'typebox'

/**
 * `POST /v1/chat/completions` (contract: Chat completions). This is also the language of the house: every vendor's
 * adapter translates from it and back to it. Fields that are not named here are passed on as they came.
 */
const open = { additionalProperties: true }
const nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()])

export const TextPart = Type.Object({ type: Type.Literal('text'), text: Type.String() }, open)

export const ImagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Object(
      { url: Type.String({ minLength: 1 }), detail: Type.Optional(Type.String()) },
      open,
    ),
  },
  open,
)

/** Parts that are only for vendors who know them: `input_audio`, `file`, `refusal`. */
export const OtherPart = Type.Object({ type: Type.String() }, open)

export const ContentPart = Type.Union([TextPart, ImagePart, OtherPart])

export const ToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.Optional(Type.Literal('function')),
    function: Type.Object({ name: Type.String({ minLength: 1 }), arguments: Type.String() }, open),
  },
  open,
)

/** A call of a tool that takes free text, which only vendors who know such tools make. */
export const CustomToolCall = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    type: Type.Literal('custom'),
    custom: Type.Object({ name: Type.String({ minLength: 1 }), input: Type.String() }, open),
  },
  open,
)

export const Message = Type.Object(
  {
    role: Type.Enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']),
    content: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(ContentPart)]))),
    name: Type.Optional(Type.String()),
    tool_calls: Type.Optional(nullable(Type.Array(Type.Union([ToolCall, CustomToolCall])))),
    tool_call_id: Type.Optional(Type.String()),
  },
  open,
)

export const Tool = Type.Object(
  {
    type: Type.String(),
    function: Type.Optional(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 128 }),
          description: Type.Optional(Type.String()),
          parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
          strict: Type.Optional(nullable(Type.Boolean())),
        },
        open,
      ),
    ),
  },
  open,
)

export const ChatRequest = Type.Object(
  {
    model: Type.String({ minLength: 1 }),
    messages: Type.Array(Message, { minItems: 1 }),
    temperature: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 2 }))),
    top_p: Type.Optional(nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    max_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
    max_completion_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128 }))),
    stream: Type.Optional(nullable(Type.Boolean())),
    stream_options: Type.Optional(
      nullable(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open)),
    ),
    stop: Type.Optional(nullable(Type.Union([Type.String(), Type.Array(Type.String())]))),
    seed: Type.Optional(nullable(Type.Integer())),
    response_format: Type.Optional(nullable(Type.Object({ type: Type.String() }, open))),
    presence_penalty: Type.Optional(nullable(Type.Number({ minimum: -2, maximum: 2 }))),
    frequency_penalty: Type.Optional(nullable(Type.Number({ minimum: -2, maximum: 2 }))),
    tools: Type.Optional(nullable(Type.Array(Tool))),
    tool_choice: Type.Optional(
      nullable(Type.Union([Type.String(), Type.Object({ type: Type.String() }, open)])),
    ),
    parallel_tool_calls: Type.Optional(nullable(Type.Boolean())),
    reasoning_effort: Type.Optional(nullable(Type.String())),
    service_tier: Type.Optional(nullable(Type.String())),
    prompt_cache_key: Type.Optional(nullable(Type.String({ maxLength: 512 }))),
    user: Type.Optional(nullable(Type.String({ maxLength: 512 }))),
    safety_identifier: Type.Optional(nullable(Type.String({ maxLength: 512 }))),
  },
  open,
)

export type ChatRequest = Static<typeof ChatRequest>
export type Message = Static<typeof Message>
export type ContentPart = Static<typeof ContentPart>
export type ToolCall = Static<typeof ToolCall>
export type CustomToolCall = Static<typeof CustomToolCall>
export type Tool = Static<typeof Tool>

/** `usage` on the wire. The cache fields of the details are left out when zero (contract: Chat completion response). */
export interface ChatUsageBody {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details?: {
    cached_tokens?: number
    cache_read_input_tokens?: number
    cache_creation_input_tokens?: number
    [other: string]: unknown
  }
  completion_tokens_details?: { reasoning_tokens?: number; [other: string]: unknown }
  [other: string]: unknown
}

/** `chat.completion`; what a vendor adds is kept. */
export interface ChatCompletion {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: ChatChoice[]
  usage?: ChatUsageBody
  [other: string]: unknown
}

/** Why an answer ended. Clients know no other words. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

export interface ChatChoice {
  index: number
  message: AssistantMessage
  logprobs: Logprobs | null
  finish_reason: FinishReason
  [other: string]: unknown
}

export interface AssistantMessage {
  role: 'assistant'
  content: string | null
  refusal: string | null
  tool_calls?: MadeCall[]
  [other: string]: unknown
}

/** A call as it is answered: it always says what it is of. */
export type MadeCall = (ToolCall & { type: 'function' }) | CustomToolCall

/** The likelihoods of an answer's tokens. */
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
  /** In UTF-8. */
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
  [other: string]: unknown
}

export interface ChunkDelta {
  role?: 'assistant'
  content?: string | null
  refusal?: string | null
  tool_calls?: ToolCallFragment[]
  [other: string]: unknown
}

export interface ToolCallFragment {
  index: number
  id?: string
  type?: 'function'
  function?: { name?: string; arguments?: string }
  [other: string]: unknown
}
