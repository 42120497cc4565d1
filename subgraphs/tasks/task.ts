import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { presentTask as presentToClients } from '../../domain/tasks/present-task.ts'
import type {
  TaskKind as AnyKind,
  Task as TaskRow,
  TaskStatus as TaskStateWord,
} from '../../domain/tasks/task.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count, DateTime, Money } from '../runtime/scalars.ts'

export const TaskKind = graphEnum<AnyKind>('TaskKind', {
  description: 'The kind of output of a task.',
  values: { video: 'A video.', speech: 'Speech from text.', audio: 'Music or sound effects.' },
})

/** The status in responses of `/v1`. */
export type StatusWord = 'pending' | 'success' | 'failed'

export const TaskStatus = graphEnum<StatusWord>('TaskStatus', {
  description: 'The status of a task, as in responses of `/v1`.',
  values: {
    pending: 'The task has not ended.',
    success: "The task succeeded. Its price was charged, unless the account's own credential was used.",
    failed: 'The task failed or was cancelled. Nothing was charged.',
  },
})

const TaskState = graphEnum<TaskStateWord>('TaskState', {
  description:
    'The state of a task. A task moves through the states in this order and can skip some. The last three are final.',
  values: {
    queued: 'The task is waiting to be sent to the vendor.',
    submitting: 'The task is being sent to the vendor.',
    running: 'The vendor is processing the task.',
    storing: 'The results are being stored.',
    success: 'The task succeeded. Its results are available.',
    failed: 'The task failed.',
    cancelled: 'The task was cancelled.',
  },
})

const ApiKey = entityReference('ApiKey')
const RequestLog = entityReference('RequestLog')

@ObjectType({ description: 'A file that a task produced.' })
class TaskResult {
  @Field(() => String, { description: 'The URL of the file.' })
  url!: string

  @Field(() => String, {
    nullable: true,
    description:
      'The media type, for example `video/mp4`. `null` if the vendor hosts the file and does not report it.',
  })
  contentType!: string | null

  @Field(() => Count, {
    nullable: true,
    description: 'The size in bytes. `null` if the vendor hosts the file.',
  })
  bytes!: number | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the file expires. `null` if the vendor hosts the file.',
  })
  expiresAt!: Date | null
}

@ObjectType({ description: 'The error of a failed or cancelled task.' })
class TaskError {
  @Field(() => String, {
    description: 'The error code, for example `timed_out`. docs/media.md, States of a task, lists all codes.',
  })
  code!: string

  @Field(() => String, { description: 'The error message.' })
  message!: string
}

@ObjectType({
  description:
    'A generation of video, speech or other audio. Its price is reserved when the task is submitted and charged when it succeeds.',
})
@Directive('@key(fields: "id")')
export class Task {
  @Field(() => ID, { description: "The task's ID, as returned when it was submitted." })
  id!: string

  @Field(() => TaskKind, { description: 'The kind of output.' })
  kind!: AnyKind

  @Field(() => TaskStatus, { description: 'The status, as in responses of `/v1`.' })
  status!: StatusWord

  @Field(() => TaskState, { description: 'The state of the task.' })
  state!: TaskStateWord

  @Field(() => Int, {
    nullable: true,
    description: 'The progress in percent. `null` if the vendor does not report it.',
  })
  progress!: number | null

  @Field(() => String, { description: 'The model name in the request, `<vendor>/<model_name>`.' })
  modelName!: string

  @Field(() => ApiKey, { nullable: true, description: 'The API key with which the task was submitted.' })
  apiKey!: { id: string }

  @Field(() => RequestLog, {
    nullable: true,
    description: 'The request that submitted the task. `null` until the task has ended.',
  })
  request!: { id: string } | null

  @Field(() => Money, {
    description:
      "The price in US dollars, calculated when the task was submitted. Nothing is charged if the account's own credential is used.",
  })
  price!: bigint

  @Field(() => Money, {
    description: 'The amount currently reserved for the task, in US dollars. 0 after the task has ended.',
  })
  held!: bigint

  @Field(() => Money, {
    nullable: true,
    description:
      'The charged amount, in US dollars. 0 if nothing was charged. `null` until the task has ended.',
  })
  cost!: bigint | null

  @Field(() => [TaskResult], {
    nullable: true,
    description: 'The files that the task produced. `null` unless the task succeeded.',
  })
  results!: TaskResult[] | null

  @Field(() => TaskError, {
    nullable: true,
    description: 'The error of a failed or cancelled task. `null` for other tasks.',
  })
  error!: TaskError | null

  @Field(() => String, {
    nullable: true,
    description: 'The URL that is called when the task has ended. `null` if the request set none.',
  })
  callbackUrl!: string | null

  @Field(() => DateTime, { description: 'When the task was submitted.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the vendor accepted the task. `null` until then, and if the vendor returned the result at once, as for speech.',
  })
  submittedAt!: Date | null

  @Field(() => DateTime, { description: 'When the task last changed.' })
  updatedAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When cancellation was requested. `null` if it was not.',
  })
  cancelRequestedAt!: Date | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the vendor refused to cancel the task. `null` if it did not.',
  })
  cancelRefusedAt!: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When the task ended. `null` until then.' })
  finishedAt!: Date | null

  /** The task's row, from which field resolvers read. Not a field of the graph. */
  row!: TaskRow
}

export function presentTask(row: TaskRow): Task {
  const { status, error } = presentToClients(row)
  return Object.assign(new Task(), {
    ...row,
    status,
    state: row.status,
    modelName: row.model,
    apiKey: { id: row.apiKeyId },
    request: row.finishedAt === null ? null : { id: row.requestId },
    price: row.priceNanos,
    held: row.heldNanos,
    cost: row.costNanos,
    results:
      row.results?.map(({ expiresAt, ...result }) => ({
        ...result,
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
      })) ?? null,
    error: error ?? null,
    row,
  })
}
