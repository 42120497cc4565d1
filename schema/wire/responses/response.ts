import { type Static, type TProperties, Type } from 'typebox'
import { efforts } from '../../catalog/chat-flags.ts'
import { closed, nullable } from '../shapes.ts'
import { OutputItem, OutputLogprob, OutputPart } from './output.ts'

const count = Type.Integer({ minimum: 0 })

/** Both details are always there, zeros included: clients read them without checking. */
export const ResponseUsage = Type.Object(
  {
    input_tokens: count,
    input_tokens_details: Type.Object({ cached_tokens: count, cache_write_tokens: count }, closed),
    output_tokens: count,
    output_tokens_details: Type.Object({ reasoning_tokens: count }, closed),
    total_tokens: count,
    cost: Type.Number({ description: 'The charge, in US dollars.' }),
  },
  closed,
)

/** The last two are not in OpenAI's schema, but OpenAI sends them, and agents do not retry after them. */
const errorCodes = [
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'context_length_exceeded',
  'insufficient_quota',
] as const

export const ResponseError = Type.Object({ code: Type.Enum([...errorCodes]), message: Type.String() }, closed)

const JsonSchema = Type.Record(Type.String(), Type.Unknown())

export const EchoedFunction = Type.Object(
  {
    type: Type.Literal('function'),
    name: Type.String(),
    description: nullable(Type.String()),
    parameters: nullable(JsonSchema),
    strict: nullable(Type.Boolean()),
  },
  closed,
)

const EchoedCustom = Type.Object(
  {
    type: Type.Literal('custom'),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    format: Type.Optional(
      Type.Union([
        Type.Object({ type: Type.Literal('text') }, closed),
        Type.Object(
          {
            type: Type.Literal('grammar'),
            syntax: Type.Enum(['lark', 'regex']),
            definition: Type.String(),
          },
          closed,
        ),
      ]),
    ),
  },
  closed,
)

/** A parsed tool of the request. Dropped tools are not listed. */
export const EchoedTool = Type.Union([
  EchoedFunction,
  EchoedCustom,
  Type.Object({ type: Type.Literal('local_shell') }, closed),
  Type.Object({ type: Type.Literal('apply_patch') }, closed),
  Type.Object(
    { type: Type.Literal('shell'), environment: Type.Object({ type: Type.Literal('local') }, closed) },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('namespace'),
      name: Type.String(),
      description: Type.String(),
      tools: Type.Array(Type.Union([EchoedFunction, EchoedCustom])),
    },
    closed,
  ),
])

export const EchoedChoice = Type.Union([
  Type.Enum(['auto', 'none', 'required']),
  Type.Object({ type: Type.Literal('function'), name: Type.String() }, { additionalProperties: true }),
  Type.Object({ type: Type.Literal('custom'), name: Type.String() }, closed),
  Type.Object({ type: Type.Literal('shell') }, closed),
  Type.Object({ type: Type.Literal('apply_patch') }, closed),
  Type.Object(
    {
      type: Type.Literal('allowed_tools'),
      mode: Type.Enum(['auto', 'required']),
      tools: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    },
    { additionalProperties: true },
  ),
])

export const EchoedFormat = Type.Union([
  Type.Object({ type: Type.Literal('text') }, closed),
  Type.Object({ type: Type.Literal('json_object') }, closed),
  Type.Object(
    {
      type: Type.Literal('json_schema'),
      name: Type.String(),
      schema: JsonSchema,
      description: Type.Optional(Type.String()),
      strict: nullable(Type.Boolean()),
    },
    closed,
  ),
])

/**
 * A response of `POST /v1/responses`: the body of an answer that is not streamed, and of the first and last
 * events of a stream. It has every field that the schemas of OpenAI and of Open Responses require.
 */
export const ResponseBody = Type.Object(
  {
    id: Type.String({ pattern: '^resp_' }),
    object: Type.Literal('response'),
    /** Seconds since 1970. */
    created_at: Type.Integer(),
    completed_at: nullable(Type.Integer()),
    status: Type.Enum(['in_progress', 'completed', 'incomplete', 'failed']),
    error: nullable(ResponseError),
    incomplete_details: nullable(
      Type.Object({ reason: Type.Enum(['max_output_tokens', 'content_filter']) }, closed),
    ),
    model: Type.String(),
    output: Type.Array(OutputItem),
    /** Null until the answer has ended and its charge is known, and where it failed. */
    usage: nullable(ResponseUsage),

    // The parsed parameters of the request.
    instructions: nullable(Type.String()),
    tools: Type.Array(EchoedTool),
    tool_choice: EchoedChoice,
    parallel_tool_calls: Type.Boolean(),
    text: Type.Object(
      { format: EchoedFormat, verbosity: Type.Optional(Type.Enum(['low', 'medium', 'high'])) },
      closed,
    ),
    reasoning: Type.Object({ effort: nullable(Type.Enum([...efforts])), summary: Type.Null() }, closed),
    max_output_tokens: nullable(Type.Integer()),
    temperature: Type.Number(),
    top_p: Type.Number(),
    top_logprobs: Type.Integer(),
    metadata: Type.Record(Type.String(), Type.String()),
    prompt_cache_key: nullable(Type.String()),
    safety_identifier: nullable(Type.String()),
    user: Type.Optional(Type.String()),

    // Constants: nothing is stored and nothing runs in the background.
    access_programs: Type.Null(),
    background: Type.Literal(false),
    frequency_penalty: Type.Literal(0),
    max_tool_calls: Type.Null(),
    presence_penalty: Type.Literal(0),
    previous_response_id: Type.Null(),
    service_tier: Type.Literal('default'),
    store: Type.Literal(false),
    truncation: Type.Literal('disabled'),
  },
  closed,
)

export type ResponseBody = Static<typeof ResponseBody>
export type ResponseUsage = Static<typeof ResponseUsage>
export type ResponseError = Static<typeof ResponseError>
export type EchoedCustom = Static<typeof EchoedCustom>
export type EchoedFunction = Static<typeof EchoedFunction>
export type EchoedTool = Static<typeof EchoedTool>
export type EchoedChoice = Static<typeof EchoedChoice>
export type EchoedFormat = Static<typeof EchoedFormat>

/** One event of a streamed response; `sequence_number` counts from 0. */
const event = <Name extends string, Fields extends TProperties>(type: Name, fields: Fields) =>
  Type.Object({ type: Type.Literal(type), sequence_number: Type.Integer({ minimum: 0 }), ...fields }, closed)

const logprobs = Type.Array(OutputLogprob)
const itemPosition = { item_id: Type.String(), output_index: count }
const partPosition = { ...itemPosition, content_index: count }
const failure = { code: nullable(Type.String()), message: Type.String(), param: nullable(Type.String()) }

export const ResponseEvent = Type.Union([
  event('response.created', { response: ResponseBody }),
  event('response.in_progress', { response: ResponseBody }),
  event('response.output_item.added', { output_index: count, item: OutputItem }),
  event('response.content_part.added', { ...partPosition, part: OutputPart }),
  event('response.output_text.delta', { ...partPosition, delta: Type.String(), logprobs }),
  event('response.output_text.done', { ...partPosition, text: Type.String(), logprobs }),
  event('response.refusal.delta', { ...partPosition, delta: Type.String() }),
  event('response.refusal.done', { ...partPosition, refusal: Type.String() }),
  event('response.content_part.done', { ...partPosition, part: OutputPart }),
  event('response.function_call_arguments.delta', { ...itemPosition, delta: Type.String() }),
  event('response.function_call_arguments.done', {
    ...itemPosition,
    name: Type.String(),
    arguments: Type.String(),
  }),
  event('response.custom_tool_call_input.delta', { ...itemPosition, delta: Type.String() }),
  event('response.custom_tool_call_input.done', { ...itemPosition, input: Type.String() }),
  event('response.output_item.done', { output_index: count, item: OutputItem }),
  event('response.completed', { response: ResponseBody }),
  event('response.incomplete', { response: ResponseBody }),
  event('response.failed', { response: ResponseBody }),
  // Some clients read these fields at the top level, others in `error`.
  event('error', { ...failure, error: Type.Object({ type: Type.String(), ...failure }, closed) }),
])

export type ResponseEvent = Static<typeof ResponseEvent>
