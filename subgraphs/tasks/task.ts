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
  description: 'What a task makes.',
  values: { video: 'A video.', speech: 'Speech, from text.', audio: 'Music or sounds.' },
})

/** What clients of `/v1` know of a state. */
export type StatusWord = 'pending' | 'success' | 'failed'

export const TaskStatus = graphEnum<StatusWord>('TaskStatus', {
  description: 'How a task stands, as a poll tells it.',
  values: {
    pending: 'It has not ended.',
    success: 'It has made what was asked for, and was charged.',
    failed: 'It has made nothing, or was cancelled. Nothing was charged.',
  },
})

const TaskState = graphEnum<TaskStateWord>('TaskState', {
  description: 'How far a task is. States follow each other in this order; the last three end it.',
  values: {
    queued: 'It waits to be sent to the vendor.',
    submitting: 'It is being sent to the vendor.',
    running: 'The vendor has it.',
    storing: 'What the vendor has made is being stored.',
    success: 'What it has made is there.',
    failed: 'It has failed.',
    cancelled: 'It was cancelled.',
  },
})

const ApiKey = entityReference('ApiKey')
const RequestLog = entityReference('RequestLog')

@ObjectType({ description: 'A file that a task has made.' })
class TaskResult {
  @Field(() => String, { description: 'Where it is.' })
  url!: string

  @Field(() => String, {
    nullable: true,
    description: 'Its media type, e.g. `video/mp4`; null where its vendor serves it and does not say.',
  })
  contentType!: string | null

  @Field(() => Count, { nullable: true, description: 'Its size in bytes; null where its vendor serves it.' })
  bytes!: number | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'It is gone afterwards; null where that is not known.',
  })
  expiresAt!: Date | null
}

@ObjectType({ description: 'Why a task has failed.' })
class TaskError {
  @Field(() => String, { description: 'A word for it, e.g. `timed_out`.' })
  code!: string

  @Field(() => String, { description: 'The same for people.' })
  message!: string
}

@ObjectType({
  description: 'One generation of video, speech or other audio: submitted, held for, made, charged.',
})
@Directive('@key(fields: "id")')
export class Task {
  @Field(() => ID, { description: 'As the submit answered it.' })
  id!: string

  @Field(() => TaskKind, { description: 'What it makes.' })
  kind!: AnyKind

  @Field(() => TaskStatus, { description: 'How it stands, as a poll tells it.' })
  status!: StatusWord

  @Field(() => TaskState, { description: 'How far it is.' })
  state!: TaskStateWord

  @Field(() => Int, { nullable: true, description: 'Percent, where the vendor tells.' })
  progress!: number | null

  @Field(() => String, { description: 'The model as the request named it, `<vendor>/<model_name>`.' })
  modelName!: string

  @Field(() => ApiKey, { nullable: true, description: 'The key that submitted it.' })
  apiKey!: { id: string }

  @Field(() => RequestLog, {
    nullable: true,
    description: 'The request that submitted it, once it has ended.',
  })
  request!: { id: string } | null

  @Field(() => Money, { description: 'What it costs, unless a credential of your own pays.' })
  price!: bigint

  @Field(() => Money, { description: 'What is held for it now.' })
  held!: bigint

  @Field(() => Money, { nullable: true, description: 'What was charged; null until it has ended.' })
  cost!: bigint | null

  @Field(() => [TaskResult], { nullable: true, description: 'What it has made; null unless it succeeded.' })
  results!: TaskResult[] | null

  @Field(() => TaskError, { nullable: true, description: 'Why it failed; null unless it did.' })
  error!: TaskError | null

  @Field(() => String, { nullable: true, description: 'Where it is told when it has ended.' })
  callbackUrl!: string | null

  @Field(() => DateTime, { description: 'When it was submitted.' })
  createdAt!: Date

  @Field(() => DateTime, { nullable: true, description: 'When the vendor had taken it.' })
  submittedAt!: Date | null

  @Field(() => DateTime, { description: 'When it last changed.' })
  updatedAt!: Date

  @Field(() => DateTime, { nullable: true, description: 'When somebody asked for it to be cancelled.' })
  cancelRequestedAt!: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When the vendor refused to cancel it.' })
  cancelRefusedAt!: Date | null

  @Field(() => DateTime, { nullable: true, description: 'When it ended.' })
  finishedAt!: Date | null

  /** Not a field: what fields of their own are read from. */
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
