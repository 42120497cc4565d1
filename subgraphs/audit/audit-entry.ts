import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { ActionRecord } from '../../domain/audit/list-actions.ts'
import type { Actor } from '../../domain/audit/record-action.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime } from '../runtime/scalars.ts'

/** Entities of other subgraphs. */
const User = entityReference('User')
const ApiKey = entityReference('ApiKey')

const ActorKind = graphEnum<Actor['kind']>('ActorKind', {
  description: 'The kind of credential that an actor used.',
  values: {
    session: "A user's session.",
    provisioning: 'A provisioning key.',
    key: 'An ordinary API key.',
    operator: "An operator's key, or a command that an operator ran.",
  },
})

type Outcome = 'done' | 'unknown'

const AuditOutcome = graphEnum<Outcome>('AuditOutcome', {
  description: 'The outcome of an action. Refused actions are not in the log.',
  values: {
    done: 'The action was completed.',
    unknown: 'The action is in progress, or a failure interrupted it. It may have been completed.',
  },
})

@ObjectType({
  description: 'An entry of the audit log: one action on the account, with its actor, time and IP address.',
})
@Directive('@key(fields: "id")')
export class AuditEntry {
  @Field(() => ID, { description: "The entry's ID. IDs increase with time." })
  id!: string

  @Field(() => String, {
    description: 'The action: the name of the mutation, for example `createApiKey`, or `exportAccount`.',
  })
  action!: string

  @Field(() => AuditOutcome, { description: 'The outcome of the action.' })
  outcome!: Outcome

  @Field(() => ActorKind, { description: 'The kind of credential that the actor used.' })
  actorKind!: Actor['kind']

  @Field(() => User, {
    nullable: true,
    description:
      'The user who acted. `null` if the actor was not a session. Its fields other than `id` are unavailable after the user has left the account.',
  })
  user!: { id: string } | null

  @Field(() => String, {
    nullable: true,
    description:
      'The e-mail address that the user who acted had at that time. `null` if the actor was not a user of this service.',
  })
  actorEmail!: string | null

  @Field(() => ApiKey, {
    nullable: true,
    description: 'The API key that acted. `null` if the actor was not an API key.',
  })
  apiKey!: { id: string } | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of the operator who acted. `null` if the actor was not an operator.',
  })
  operator!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The type of the object that the action changed, for example `ApiKey`. `null` if the input named the object by its ID, or if the action changed no single object.',
  })
  targetType!: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'The ID of the object that the action changed, which the query `node` returns. `null` if the action changed no single object.',
  })
  targetId!: string | null

  @Field(() => [String], {
    description: 'The names of the input fields that the action set. Their values are not stored.',
  })
  fields!: string[]

  @Field(() => String, {
    nullable: true,
    description:
      'The reason that an operator stated. `null` if the action needs none, or the actor was not an operator.',
  })
  reason!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The IP address from which the action was requested. `null` for commands that an operator ran.',
  })
  address!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'The ID of the request, as in the response header `x-request-id`. `null` for commands that an operator ran.',
  })
  requestId!: string | null

  @Field(() => DateTime, { description: 'When the action began.' })
  createdAt!: Date
}

export function presentAction(record: ActionRecord): AuditEntry {
  const { name, state, actorKind, actorId, ...rest } = record
  const isKey = actorKind === 'key' || actorKind === 'provisioning'
  return {
    ...rest,
    action: name,
    outcome: state === 'done' ? 'done' : 'unknown',
    actorKind,
    user: actorKind === 'session' && actorId !== null ? { id: actorId } : null,
    apiKey: isKey && actorId !== null ? { id: actorId } : null,
    operator: actorKind === 'operator' ? actorId : null,
  }
}
