import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false }

/**
 * Where a value is in the vendor's answer: names joined by dots, `*` for every item of a list, `data.*.url`. A `*`
 * over something that is no list stands for the thing itself.
 */
const AnswerPath = Type.String({ pattern: '^[A-Za-z0-9_*-]+(\\.[A-Za-z0-9_*-]+)*$', maxLength: 200 })

const Method = Type.Enum(['GET', 'POST', 'PUT', 'DELETE'])

/**
 * A path below the vendor's address. `{model}` is the vendor's name of the model, `{id}` the id of the generation,
 * and `{reference}` what `result.reference` found.
 */
const PathTemplate = Type.String({ pattern: '^/[\\w\\-.~/{}:?=&]*$', maxLength: 300 })

const Words = Type.Array(Type.Union([Type.String(), Type.Number()]), { default: [] })

/** The header that carries the API key: `Authorization: Key …`. */
export const KeyHeader = Type.Object(
  {
    header: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$', default: 'Authorization' }),
    /** The word before the key; empty where there is none. */
    scheme: Type.String({ pattern: '^[A-Za-z-]{0,32}$', default: 'Bearer' }),
  },
  { ...closed, default: {} },
)

/**
 * A vendor's queue of generations: where it is submitted to and asked, and what it answers. With it a vendor is
 * connected by data alone (docs/vendors.md).
 */
export const Queue = Type.Object(
  {
    key: KeyHeader,
    submit: Type.Object(
      {
        method: Type.Enum(['POST', 'PUT'], { default: 'POST' }),
        path: PathTemplate,
        /** Headers beside the key's: `X-Async: enable`. */
        headers: Type.Optional(
          Type.Record(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]*$' }), Type.String()),
        ),
        /** The request's field for the vendor's name of the model; absent where the path has it. */
        model: Type.Optional(Type.String({ minLength: 1 })),
      },
      closed,
    ),
    /** Where the answer to the submit has the generation's id. */
    id: AnswerPath,
    /** How a generation is asked for. */
    status: Type.Object(
      {
        method: Type.Enum(['GET', 'POST'], { default: 'GET' }),
        path: PathTemplate,
        /** Where its answer has the word for the state. */
        at: AnswerPath,
        /** The words for each state. Any other word counts as running. */
        done: Words,
        failed: Words,
        cancelled: Words,
        /** Where its answer has a reason although the word is one of `done`: then the generation has failed. */
        fault: Type.Optional(AnswerPath),
        /** Where its answer has the progress, a number. */
        progress: Type.Optional(AnswerPath),
        /** The progress of a finished generation. */
        progress_end: Type.Number({ exclusiveMinimum: 0, default: 100 }),
      },
      closed,
    ),
    /** How the result is asked for; absent where the answer about the state has it. */
    result: Type.Optional(
      Type.Object(
        {
          path: PathTemplate,
          /** Where the answer about the state has what stands for `{reference}` in the path. */
          reference: Type.Optional(AnswerPath),
        },
        closed,
      ),
    ),
    /** Where the result has the addresses of the files. */
    files: Type.Array(AnswerPath, { minItems: 1 }),
    /** Where an answer about a failed generation, or one with an error status, has the reason. */
    error: Type.Object(
      {
        message: Type.Array(AnswerPath, { default: [] }),
        code: Type.Optional(AnswerPath),
        /** Codes of a generation that was refused for what it shows. */
        refused: Words,
      },
      { ...closed, default: {} },
    ),
    /** For a vendor that answers 200 and says in the body what went wrong. */
    outcome: Type.Optional(
      Type.Object(
        {
          at: AnswerPath,
          ok: Words,
          /** Ask again later. */
          busy: Words,
          /** The credential, or the account behind it, was refused. */
          auth: Words,
          /** The request was refused. Any other value means that the vendor failed. */
          request: Words,
        },
        closed,
      ),
    ),
    /** How a generation is cancelled; absent where it cannot be. */
    cancel: Type.Optional(Type.Object({ method: Method, path: PathTemplate }, closed)),
    /** Inputs may be sent as data URIs. Otherwise only addresses are sent. */
    takes_data_uris: Type.Boolean({ default: false }),
  },
  closed,
)

export type KeyHeader = Static<typeof KeyHeader>
export type Queue = Static<typeof Queue>
