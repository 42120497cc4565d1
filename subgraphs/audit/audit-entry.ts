import { Directive, Field, ID, ObjectType } from 'type-graphql'
import type { ActionRecord } from '../../domain/audit/list-actions.ts'
import type { Actor } from '../../domain/audit/record-action.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime } from '../runtime/scalars.ts'

/** What lives in other subgraphs. */
const User = entityReference('User')
const ApiKey = entityReference('ApiKey')

const ActorKind = graphEnum<Actor['kind']>('ActorKind', {
  description: 'What somebody acted with.',
  values: {
    session: 'The session of a person.',
    provisioning: 'A provisioning key.',
    key: 'An ordinary key.',
    operator: 'The key of an operator of the platform, or a command of theirs.',
  },
})

type Outcome = 'done' | 'unknown'

const AuditOutcome = graphEnum<Outcome>('AuditOutcome', {
  description: 'What came of an action. One that was refused is not in the log.',
  values: {
    done: 'It was done.',
    unknown: 'It is being done, or was cut by a failure: it may or may not have been done.',
  },
})

@ObjectType({ description: 'Something that was done to the account: who, what, when, from where.' })
@Directive('@key(fields: "id")')
export class AuditEntry {
  @Field(() => ID, { description: 'The id of the entry; ids are in the order of time.' })
  id!: string

  @Field(() => String, { description: 'What was done: the name of the mutation, e.g. createApiKey.' })
  action!: string

  @Field(() => AuditOutcome, { description: 'What came of it.' })
  outcome!: Outcome

  @Field(() => ActorKind, { description: 'What it was done with.' })
  actorKind!: Actor['kind']

  @Field(() => User, { nullable: true, description: 'The person who did it, in a session.' })
  user!: { id: string } | null

  @Field(() => ApiKey, { nullable: true, description: 'The key that did it.' })
  apiKey!: { id: string } | null

  @Field(() => String, { nullable: true, description: 'The name of the operator who did it.' })
  operator!: string | null

  @Field(() => String, { nullable: true, description: 'The type of what it was done to.' })
  targetType!: string | null

  @Field(() => ID, { nullable: true, description: 'The id of what it was done to: `node` finds it.' })
  targetId!: string | null

  @Field(() => [String], { description: 'The names of what was set; values are not kept.' })
  fields!: string[]

  @Field(() => String, { nullable: true, description: 'The address that it came from.' })
  address!: string | null

  @Field(() => String, { nullable: true, description: 'The id of the request, as its answer carried it.' })
  requestId!: string | null

  @Field(() => DateTime, { description: 'When it began.' })
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
