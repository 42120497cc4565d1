import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import {
  countMemberships,
  listMemberships,
  type Membership as MembershipRecord,
  membershipOrder,
  positionOfMembership,
  switchAccount,
} from '../../domain/members/memberships.ts'
import type { Role as AnyRole } from '../../schema/entities/accounts.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentSession, Session } from './account.ts'
import { Role } from './viewer.ts'

@ObjectType({ description: 'An account of which the caller is a member.' })
export class Membership {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: "The account's name." })
  accountName!: string

  @Field(() => Role, { description: "The caller's role in the account." })
  role!: AnyRole

  @Field(() => DateTime, { description: 'When the caller joined the account.' })
  joinedAt!: Date

  @Field(() => Boolean, { description: 'Whether this is the account of the session.' })
  isCurrent!: boolean
}

const MembershipConnection = connection(Membership)

@InputType({ description: 'The account to switch to.' })
class SwitchAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string
}

@ObjectType({ description: 'The result of switching to another account.' })
class SwitchAccountPayload {
  @Field(() => Session, { description: 'A new session of the caller in the account.' })
  session!: Session

  /** For the audit log. */
  actor!: Actor
}

/** The accounts of the user (docs/teams.md). */
@Resolver(() => Membership)
export class MembershipsResolver {
  @Query(() => MembershipConnection, {
    nullable: true,
    description:
      'Lists the accounts of which the caller is a member, in the order in which the caller joined them.',
  })
  async memberships(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId, userId } = requireSession(context)
    const { queries } = context
    const slice = sliceOf(args, membershipOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listMemberships(from, { userId, slice })),
      positionOf: positionOfMembership,
      present: ({ joinedMicros: _, ...own }: MembershipRecord): Membership => ({
        ...own,
        isCurrent: own.accountId === accountId,
      }),
      countAll: () => queries.run(accountId, from => countMemberships(from, { userId, max: maxPaged })),
    })
  }

  @Mutation(() => SwitchAccountPayload, {
    nullable: true,
    description:
      'Begins a session of the caller in another account of which the caller is a member. The present session stays valid.',
  })
  async switchAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SwitchAccountInput, { description: 'The account.' }) {
      accountId,
    }: SwitchAccountInput,
  ): Promise<SwitchAccountPayload> {
    const caller = requireSession(context)
    const { address } = context
    return presentSession(context, await switchAccount(context, { caller, accountId, address }))
  }
}
