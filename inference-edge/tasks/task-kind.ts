import type { TaskKind } from '../../domain/tasks/task.ts'
import { Problem } from '../../schema/errors.ts'
import { answersAtOnce } from '../../upstreams/call/media-adapters.ts'
import type { Edge, EdgeContext } from '../edge.ts'
import type { PaidKind } from '../pipeline/paid-kind.ts'
import type { ParseBody } from '../pipeline/receive-body.ts'
import { readSubmission, type Submission } from './read-submission.ts'
import { type AnswerSubmit, answerTask, submitTask } from './submit-task.ts'

/** How tasks are submitted over HTTP: in the shape of `/v1`, or in that of OpenAI. */
interface SubmitForm {
  kind: TaskKind
  /** Content types of the body, and its parser; JSON unless given. */
  contentTypes?: RegExp
  parser?(ctx: EdgeContext): ParseBody
  /** Refuses a request because of its headers, after its key is identified. */
  check?(ctx: EdgeContext): void
  /** Translates the body into the body of `POST /v1/videos/generations` or another task endpoint of `/v1`. */
  translate?(edge: Edge, json: unknown): unknown
  /** Responds to a request whose task is submitted; with the task as JSON unless given. */
  answer?: AnswerSubmit
}

/**
 * Returns submits of one `SubmitForm` as a kind of paid request. A submit is completed even if its client disconnects:
 * price, hold, task and job commit together before the response is sent.
 */
export function tasksOf(form: SubmitForm): PaidKind<Submission, { rateTokens: number }> {
  const { kind, contentTypes, parser, check, translate, answer = answerTask } = form
  return {
    contentTypes,
    ...(parser && { parser }),
    ...(check && { check }),
    outlivesClient: true,
    read(edge, _ctx, { json }) {
      const body = translate ? translate(edge, json) : json
      const { inference, config, media } = edge
      const submission = readSubmission({ models: inference.models, config }, { kind, json: body })
      if (!media.storage && answersAtOnce(submission.model.entry))
        throw new Problem('media_not_stored', { param: 'model', message: needsStorage })
      return submission
    },
    demand: () => ({ rateTokens: 0 }),
    open: (edge, ctx, { asked: submission, allowed, client, keep }) =>
      submitTask(edge, ctx, { submission, allowed, client, keep, answer }),
  }
}

/** The error for a model whose vendor returns the file itself: without storage, the result could not be delivered. */
const needsStorage =
  'This model needs media storage, which is not configured. Ask the operator, or choose another model.'

const speechIsElsewhere =
  'This path returns a task as JSON. POST /openai/v1/audio/speech returns the audio itself: use the base URL {origin}/openai/v1.'

/** `POST /v1/videos/generations`. */
export const videoTasks = tasksOf({ kind: 'video' })

/** `POST /v1/audio/generations`. */
export const audioTasks = tasksOf({ kind: 'audio' })

/**
 * `POST /v1/audio/speech`. Throws `not_acceptable` for a client that accepts no JSON: it would mistake the task for the
 * audio.
 */
export const speechTasks = tasksOf({
  kind: 'speech',
  check(ctx) {
    if (!ctx.accepts('json')) throw new Problem('not_acceptable', { message: speechIsElsewhere })
  },
})
