import { type TSchema, Type } from 'typebox'
import { nullable, open } from '../wire/shapes.ts'

/**
 * The responses of `/v1`, for the OpenAPI document. Tests check real responses against these shapes. Fields that
 * vendors add are kept, so all objects are open.
 */

const Count = Type.Integer({ minimum: 0 })

const Cost = Type.Number({
  minimum: 0,
  description: "The charge, in US dollars. Zero if the account's own credential answered.",
})

const ChatUsage = Type.Object(
  {
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    cost: Cost,
    prompt_tokens_details: Type.Optional(
      Type.Object(
        {
          cached_tokens: Type.Optional(Count),
          cache_read_input_tokens: Type.Optional(Count),
          cache_creation_input_tokens: Type.Optional(Count),
        },
        open,
      ),
    ),
    completion_tokens_details: Type.Optional(Type.Object({ reasoning_tokens: Type.Optional(Count) }, open)),
  },
  open,
)

const FinishReason = Type.Enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

export const ChatCompletionAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    model: Type.String({ description: 'The model that answered.' }),
    choices: Type.Array(
      Type.Object(
        {
          index: Count,
          message: Type.Object({ role: Type.Literal('assistant'), content: nullable(Type.String()) }, open),
          finish_reason: FinishReason,
        },
        open,
      ),
    ),
    usage: ChatUsage,
  },
  open,
)

export const ChatCompletionChunk = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('chat.completion.chunk'),
    created: Type.Integer({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    model: Type.String(),
    choices: Type.Array(
      Type.Object(
        { index: Count, delta: Type.Object({}, open), finish_reason: nullable(FinishReason) },
        open,
      ),
    ),
    usage: Type.Optional(nullable(ChatUsage)),
  },
  open,
)

export const ResponsesAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('response'),
    created_at: Type.Number({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    status: Type.Enum(['completed', 'incomplete', 'failed', 'in_progress']),
    model: Type.String(),
    output: Type.Array(Type.Object({ type: Type.String() }, open)),
    parallel_tool_calls: Type.Boolean(),
    usage: nullable(
      Type.Object(
        {
          input_tokens: Count,
          input_tokens_details: Type.Object({ cached_tokens: Count }, open),
          output_tokens: Count,
          output_tokens_details: Type.Object({ reasoning_tokens: Count }, open),
          total_tokens: Count,
          cost: Cost,
        },
        open,
      ),
    ),
  },
  open,
)

export const ResponsesEvent = Type.Object({ type: Type.String(), sequence_number: Count }, open)

export const MessagesAnswer = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: Type.String(),
    content: Type.Array(Type.Object({ type: Type.String() }, open)),
    stop_reason: nullable(Type.String()),
    usage: Type.Object({ input_tokens: Count, output_tokens: Count, cost: Cost }, open),
  },
  open,
)

export const MessagesEvent = Type.Object({ type: Type.String() }, open)

export const TokenCountAnswer = Type.Object({ input_tokens: Count }, open)

export const EmbeddingsAnswer = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      Type.Object(
        {
          object: Type.Literal('embedding'),
          index: Count,
          embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
        },
        open,
      ),
    ),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Count, total_tokens: Count, cost: Cost }, open),
  },
  open,
)

export const ModelAnswer = Type.Object(
  {
    id: Type.String({ description: "The model's name in requests: `<vendor>/<model_name>`." }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    owned_by: Type.String(),
    aliases: Type.Array(Type.String(), { description: 'Other names of the model in requests.' }),
  },
  open,
)

export const ModelListAnswer = Type.Object(
  { object: Type.Literal('list'), data: Type.Array(ModelAnswer) },
  open,
)

export const ImagesAnswer = Type.Object(
  {
    created: Type.Integer({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    cost: Cost,
    data: Type.Array(
      Type.Object(
        {
          url: Type.Optional(
            Type.String({
              description: 'The URL of the image. It can be read without an API key, by default for 14 days.',
            }),
          ),
          b64_json: Type.Optional(Type.String({ description: 'The image in base64.' })),
        },
        open,
      ),
    ),
  },
  open,
)

export const TaskAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Enum(['video.generation', 'audio.speech', 'audio.generation']),
    status: Type.Enum(['pending', 'success', 'failed']),
    model: Type.String(),
    created: Type.Integer({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    cost: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'The charge, in US dollars. Missing until the task has ended.',
      }),
    ),
    data: Type.Optional(
      Type.Array(Type.Object({ url: Type.String() }, open), {
        description: 'The files. Only set if the status is `success`.',
      }),
    ),
    error: Type.Optional(
      Type.Object(
        { code: Type.String(), message: Type.String() },
        { ...open, description: 'The error. Only set if the status is `failed`.' },
      ),
    ),
  },
  open,
)

/** Declares a page of a list of `/v1`. */
export function listOf<Item extends TSchema>(item: Item) {
  return Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(item),
      first_id: nullable(Type.String()),
      last_id: nullable(Type.String()),
      has_more: Type.Boolean(),
    },
    open,
  )
}

export const TaskListAnswer = listOf(TaskAnswer)

export const UploadAnswer = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('upload'),
    url: Type.String(),
    content_type: Type.String(),
    bytes: Count,
    created: Type.Integer({ description: 'The creation time, in seconds since 1970 (UTC).' }),
    expires_at: Type.Union([Type.Integer(), Type.String(), Type.Null()]),
  },
  open,
)
