import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }
const count = (minimum: number) => Type.Integer({ minimum })

/** The values of `reasoning_effort` that clients send. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

const UpstreamEffort = Type.Optional(Type.Union([Type.String(), Type.Integer()]))

/** How a model is told to think. An effort that is not in the table is refused with 400. */
export const Reasoning = Type.Object(
  {
    /** The field that carries the effort upstream. */
    carrier: Type.Enum(['reasoning_effort', 'output_config', 'thinking_level', 'thinking_budget']),
    /** The client's word and the upstream's word or token budget for it. */
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
    /** Tool calls carry a signature that must come back with the next turn. */
    signatures: Type.Boolean({ default: false }),
  },
  closed,
)

/** How a model keeps a promise of JSON: by itself, by an added instruction, by a forced tool call, or not. */
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

/** What an adapter must know of a chat model to speak to it rightly, and a way to refuse early. */
export const ChatFlags = Type.Object(
  {
    /** Longest prompt and answer together. */
    context_tokens: count(1),
    /** The answer's upper bound: a client's larger maximum is clamped to it. */
    max_output_tokens: count(1),
    /** A typical answer: what a stream that names no maximum is held for at first, before it grows. */
    default_output_tokens: count(1),
    /** Tokens that it makes in a second: by it thoughts are estimated that nobody counted. */
    tokens_per_second: Type.Integer({ minimum: 1, default: 80 }),
    /** Tokens that it counts where the tokenizer of estimates (o200k) counts a hundred. */
    tokens_per_hundred: Type.Integer({ minimum: 50, maximum: 300, default: 100 }),
    /** The field that carries the maximum to an upstream of `openai-chat`; the other formats have but one. */
    output_limit_field: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
    /** Shortest prompt that the upstream caches. */
    minimum_cache_tokens: count(0),
    /** What keeps one end user's cached prefixes from another (docs/behaviour.md, Prompt caching). */
    cache_isolation: Type.Enum(['prompt_cache_key', 'session', 'salt']),
    /** Takes images. */
    vision: Type.Boolean(),
    /** Takes documents: PDF and plain text. */
    documents: Type.Optional(Type.Boolean()),
    /** Takes sound. */
    audio: Type.Optional(Type.Boolean()),
    /** Takes tool definitions. */
    tools: Type.Boolean(),
    json: Json,
    /** Takes `temperature` and `top_p`; where not, they are dropped. */
    sampling: Type.Boolean(),
    /** A higher `temperature` is clamped to it. */
    max_temperature: Type.Number({ exclusiveMinimum: 0 }),
    /** More `stop` sequences are refused with 400. */
    max_stop_sequences: count(0),
    /** A larger `n` is refused with 400. */
    max_choices: count(1),
    /** Takes system messages between the others; where not, they are hoisted to the front. */
    system_in_the_middle: Type.Boolean(),
    /** Request fields that are accepted and dropped. */
    ignored_parameters: Type.Array(Type.String()),
    /** Request fields that are refused with 400. */
    refused_parameters: Type.Array(Type.String()),
    /**
     * Request fields with which the vendor charges otherwise, and which the prices of the model cover: they
     * are taken on the platform's credential too. `tools` stands for tools that the vendor runs itself.
     */
    priced_parameters: Type.Optional(Type.Array(Type.String())),
    /** Absent where the model does not think, or cannot be told to. */
    reasoning: Type.Optional(Reasoning),
  },
  closed,
)

export type Reasoning = Static<typeof Reasoning>
export type Json = Static<typeof Json>
export type ChatFlags = Static<typeof ChatFlags>
