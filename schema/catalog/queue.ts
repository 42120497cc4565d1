import { type Static, Type } from 'typebox'
import { KeyHeader } from './key-header.ts'

const closed = { additionalProperties: false }

/**
 * The path of a value in the vendor's response: names joined by dots, with `*` for every item of a list, `data.*.url`.
 * A `*` at a value that is not a list selects the value itself.
 */
const AnswerPath = Type.String({ pattern: '^[A-Za-z0-9_*-]+(\\.[A-Za-z0-9_*-]+)*$', maxLength: 200 })

const Method = Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])

/**
 * A path below the vendor's base URL. `{model}` is the vendor's name of the model, `{id}` the generation's ID, and
 * `{reference}` the value at `result.reference`.
 */
const PathTemplate = Type.String({ pattern: '^/[\\w\\-.~/{}:?=&]*$', maxLength: 300 })

const Words = Type.Array(Type.Union([Type.String(), Type.Number()]), { default: [] })

/**
 * A vendor's queue of generations: its endpoints and the format of its responses. It connects a vendor without code
 * (docs/vendors.md).
 */
export const Queue = Type.Object(
  {
    key: KeyHeader,
    submit: Type.Object(
      {
        method: Type.Enum(['POST', 'PUT'], { default: 'POST' }),
        path: PathTemplate,
        /** Headers in addition to the API key's: `X-Async: enable`. */
        headers: Type.Optional(
          Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]*$' }), Type.String()),
        ),
        /** The request's field for the vendor's name of the model. Absent if the path contains it. */
        model: Type.Optional(Type.String({ minLength: 1 })),
      },
      closed,
    ),
    /** The path of the generation's ID in the response to the submit. */
    id: AnswerPath,
    /** The request that polls a generation. */
    status: Type.Object(
      {
        method: Type.Enum(['GET', 'POST'], { default: 'GET' }),
        path: PathTemplate,
        /** The path of the state in the response. */
        at: AnswerPath,
        /** The vendor's values for each state. Any other value counts as running. */
        done: Words,
        failed: Words,
        cancelled: Words,
        /** The path of an error. If it is set although the state is one of `done`, the generation has failed. */
        fault: Type.Optional(AnswerPath),
        /** The path of the progress, a number. */
        progress: Type.Optional(AnswerPath),
        /** The progress of a finished generation. */
        progress_end: Type.Number({ exclusiveMinimum: 0, default: 100 }),
      },
      closed,
    ),
    /** The request for the result. Absent if the response about the state contains it. */
    result: Type.Optional(
      Type.Object(
        {
          path: PathTemplate,
          /** The path of the value for `{reference}` in the response about the state. */
          reference: Type.Optional(AnswerPath),
        },
        closed,
      ),
    ),
    /** The path of the files' URLs in the result. */
    files: Type.Array(AnswerPath, { minItems: 1 }),
    /** The paths of the reason in responses about failed generations or with an error status. */
    error: Type.Object(
      {
        message: Type.Array(AnswerPath, { default: [] }),
        code: Type.Optional(AnswerPath),
        /** Error codes of generations that were refused for their content. */
        refused: Words,
      },
      { ...closed, default: {} },
    ),
    /** Error codes in the body, for a vendor that reports errors with status 200. */
    outcome: Type.Optional(
      Type.Object(
        {
          at: AnswerPath,
          ok: Words,
          /** Codes after which to retry later. */
          busy: Words,
          /** Codes of a refused credential or vendor account. */
          auth: Words,
          /** Codes of a refused request. Any other value means that the vendor failed. */
          request: Words,
        },
        closed,
      ),
    ),
    /** The request that cancels a generation. Absent if that is not possible. */
    cancel: Type.Optional(Type.Object({ method: Method, path: PathTemplate }, closed)),
    /** Whether inputs can be sent as data URIs. Otherwise only URLs are sent. */
    takes_data_uris: Type.Boolean({ default: false }),
  },
  closed,
)

export type Queue = Static<typeof Queue>
