import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }
const count = (minimum: number) => Type.Integer({ minimum })

/** The values of `reasoning_effort` that clients send. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

const UpstreamEffort = Type.Optional(Type.Union([Type.String(), Type.Integer()]))

/** How a model's reasoning is controlled. An effort that is not in the table is refused with 400. */
export const Reasoning = Type.Object(
  {
    /** The field that carries the effort upstream. */
    carrier: Type.Enum(['reasoning_effort', 'output_config', 'thinking_level', 'thinking_budget']),
    /** The client's value, and the upstream's value or token budget for it. */
    efforts: Type.Object(
      {
        none: UpstreamEffort,
        minimal: UpstreamEffort,
        low: UpstreamEffort,
        medium: UpstreamEffort,
        high: UpstreamEffort,
        xhigh: UpstreamEffort,
        max: UpstreamEffort,
      },
      closed,
    ),
    /** Tool calls carry a signature that the next request must send back. */
    signatures: Type.Boolean({ default: false }),
  },
  closed,
)

/** How a model is made to answer with JSON: by itself, by an added instruction, by a forced tool call, or not at all. */
export const Json = Type.Object(
  {
    /** `response_format: {type: json_object}` */
    object: Type.Enum(['native', 'instruction', 'none']),
    /** `response_format: {type: json_schema}` */
    schema: Type.Enum(['native', 'tool', 'none']),
    /** Whether `response_format` and `tools` may come together. */
    with_tools: Type.Boolean(),
  },
  closed,
)

/** What a chat model supports: what adapters translate by, and what is refused before an upstream is called. */
export const ChatFlags = Type.Object(
  {
    /** The most tokens of prompt and answer together. */
    context_tokens: count(1),
    /** The most tokens of an answer: a client's larger maximum is clamped to it. */
    max_output_tokens: count(1),
    /** A typical answer: the first hold of a stream without a maximum, which then grows. */
    default_output_tokens: count(1),
    /** Tokens that it produces per second: the estimate of reasoning whose tokens were not reported. */
    tokens_per_second: Type.Integer({ minimum: 1, default: 80 }),
    /** The tokens that it counts for each hundred of the tokenizer of estimates (o200k). */
    tokens_per_hundred: Type.Integer({ minimum: 50, maximum: 300, default: 100 }),
    /** The field of the maximum in requests of the format `openai-chat`; the other formats have only one. */
    output_limit_field: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
    /** The shortest prompt that the upstream caches. */
    minimum_cache_tokens: count(0),
    /** What isolates the cached prefixes of end users (docs/behaviour.md, Prompt caching). */
    cache_isolation: Type.Enum(['prompt_cache_key', 'session', 'salt']),
    /** Takes images. */
    vision: Type.Boolean(),
    /** Takes documents: PDF and plain text. */
    documents: Type.Optional(Type.Boolean()),
    /** Takes audio. */
    audio: Type.Optional(Type.Boolean()),
    /** Takes tool definitions. */
    tools: Type.Boolean(),
    json: Json,
    /** Takes `temperature` and `top_p`; otherwise they are dropped. */
    sampling: Type.Boolean(),
    /** A higher `temperature` is clamped to it. */
    max_temperature: Type.Number({ exclusiveMinimum: 0 }),
    /** More `stop` sequences are refused with 400. */
    max_stop_sequences: count(0),
    /** A larger `n` is refused with 400. */
    max_choices: count(1),
    /** Takes system messages after other messages; otherwise they are moved to the front. */
    system_in_the_middle: Type.Boolean(),
    /** Request fields that are accepted and dropped. */
    ignored_parameters: Type.Array(Type.String()),
    /** Request fields that are refused with 400. */
    refused_parameters: Type.Array(Type.String()),
    /**
     * Request fields that change the vendor's price, and that the prices of the model cover: they are accepted
     * with the platform's credential too. `tools` means tools that the vendor runs itself.
     */
    priced_parameters: Type.Optional(Type.Array(Type.String())),
    /** Absent where the model does not reason, or not controllably. */
    reasoning: Type.Optional(Reasoning),
  },
  closed,
)

export type Reasoning = Static<typeof Reasoning>
export type Json = Static<typeof Json>
export type ChatFlags = Static<typeof ChatFlags>
