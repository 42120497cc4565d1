import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }
const count = (minimum: number) => Type.Integer({ minimum })

/** The values of `reasoning_effort` that clients send. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

const UpstreamEffort = Type.Optional(Type.Union([Type.String(), Type.Integer()]))

/** The control of a model's reasoning. An effort that is not in the table is refused with 400. */
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

/** The way in which a model produces JSON: natively, by an added instruction, by a forced tool call, or not at all. */
export const Json = Type.Object(
  {
    /** `response_format: {type: json_object}` */
    object: Type.Enum(['native', 'instruction', 'none']),
    /** `response_format: {type: json_schema}` */
    schema: Type.Enum(['native', 'tool', 'none']),
    /** Whether `response_format` and `tools` can be combined. */
    with_tools: Type.Boolean(),
  },
  closed,
)

/**
 * The capabilities of a chat model. Adapters translate by them, and unsupported requests are refused before a vendor is
 * called.
 */
export const ChatFlags = Type.Object(
  {
    /** Maximum number of tokens of prompt and answer together. */
    context_tokens: count(1),
    /** Maximum number of tokens of an answer. A larger maximum of the client is clamped to it. */
    max_output_tokens: count(1),
    /**
     * Number of tokens of a typical answer. The first hold of a stream without a maximum covers them and then grows.
     */
    default_output_tokens: count(1),
    /**
     * Number of tokens that the model produces per second, to estimate reasoning tokens that the vendor does not
     * report.
     */
    tokens_per_second: Type.Integer({ minimum: 1, default: 80 }),
    /** Number of tokens that the model counts for 100 tokens of the tokenizer for estimates (o200k). */
    tokens_per_hundred: Type.Integer({ minimum: 50, maximum: 300, default: 100 }),
    /** The field of the maximum in requests of the format `openai-chat`. The other formats have only one. */
    output_limit_field: Type.Optional(Type.Enum(['max_tokens', 'max_completion_tokens'])),
    /** Minimum number of prompt tokens that the vendor caches. */
    minimum_cache_tokens: count(0),
    /** The mechanism that isolates the cached prefixes of end users (docs/behaviour.md, Prompt caching). */
    cache_isolation: Type.Enum(['prompt_cache_key', 'session', 'salt']),
    /** Whether the model accepts images. */
    vision: Type.Boolean(),
    /** Whether the model accepts documents: PDF and plain text. */
    documents: Type.Optional(Type.Boolean()),
    /** Whether the model accepts audio. */
    audio: Type.Optional(Type.Boolean()),
    /** Whether the model accepts tool definitions. */
    tools: Type.Boolean(),
    json: Json,
    /** Whether the model accepts `temperature` and `top_p`. Otherwise they are dropped. */
    sampling: Type.Boolean(),
    /** Maximum `temperature`. A higher value is clamped to it. */
    max_temperature: Type.Number({ exclusiveMinimum: 0 }),
    /** Maximum number of `stop` sequences. More are refused with 400. */
    max_stop_sequences: count(0),
    /** Maximum `n`. A larger value is refused with 400. */
    max_choices: count(1),
    /** Whether the model accepts system messages after other messages. Otherwise they are moved to the front. */
    system_in_the_middle: Type.Boolean(),
    /** Request fields that are accepted and dropped. */
    ignored_parameters: Type.Array(Type.String()),
    /** Request fields that are refused with 400. */
    refused_parameters: Type.Array(Type.String()),
    /**
     * Request fields that change the vendor's price and that the model's prices cover. They are also accepted with the
     * platform's credential. `tools` means tools that the vendor runs.
     */
    priced_parameters: Type.Optional(Type.Array(Type.String())),
    /** Absent if the model does not reason, or its reasoning cannot be controlled. */
    reasoning: Type.Optional(Reasoning),
  },
  closed,
)

export type Reasoning = Static<typeof Reasoning>
export type Json = Static<typeof Json>
export type ChatFlags = Static<typeof ChatFlags>
