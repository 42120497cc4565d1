import {
  Arg,
  Args,
  Ctx,
  Field,
  ID,
  InputType,
  Int,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import { changeRole } from '../../domain/members/change-role.ts'
import {
  countMembers,
  listMembers,
  memberOrder,
  positionOfMember,
} from '../../domain/members/member-records.ts'
import { leaveAccount, removeMember } from '../../domain/members/remove-member.ts'
import type { Role as AnyRole } from '../../schema/entities/accounts.ts'
import { requireCaller, requireSession } from '../runtime/call.ts'
import { ConnectionArgs, connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentUser, Role, User } from './viewer.ts'

const UserConnection = connection(User)

@InputType({ description: 'The member and the new role.' })
class UpdateMemberInput {
  @Field(() => ID, { description: "The user's ID." })
  id!: string

  @Field(() => Role, { description: 'The new role. Only owners can make, change and remove owners.' })
  role!: AnyRole
}

@ObjectType({ description: 'The result of updating a member.' })
class UpdateMemberPayload {
  @Field(() => User, { description: 'The member.' })
  member!: User
}

@InputType({ description: 'The member to remove.' })
class RemoveMemberInput {
  @Field(() => ID, { description: "The user's ID." })
  id!: string

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether to disable the API keys that the member created. If false, the keys stay valid and belong to the account.',
  })
  disableApiKeys!: boolean
}

@ObjectType({ description: 'The removed member.' })
class RemoveMemberPayload {
  @Field(() => ID, {
    description:
      "The user's ID. Requests with tokens of the user's sessions in the account now fail with 401.",
  })
  removedMemberId!: string

  @Field(() => Int, { description: 'The number of API keys that were disabled.' })
  disabledApiKeys!: number
}

@ObjectType({ description: 'The result of leaving an account.' })
class LeaveAccountPayload {
  @Field(() => ID, { description: "The account's ID." })
  leftAccountId!: string
}

/** Members of the account (docs/teams.md). */
@Resolver(() => User)
export class MembersResolver {
  @Query(() => UserConnection, {
    nullable: true,
    description: 'Lists the members of the account, earliest member first.',
  })
  async members(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId } = requireCaller(context)
    const { queries } = context
    const slice = sliceOf(args, memberOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listMembers(from, { accountId, slice })),
      positionOf: positionOfMember,
      present: presentUser,
      countAll: () => queries.run(accountId, from => countMembers(from, { accountId, max: maxPaged })),
    })
  }

  @Mutation(() => UpdateMemberPayload, {
    nullable: true,
    description:
      "Changes the role of a member. It takes effect on the member's next request. The last owner of an account cannot be changed.",
  })
  async updateMember(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateMemberInput, { description: 'The member and the new role.' })
    { id, role }: UpdateMemberInput,
  ): Promise<UpdateMemberPayload> {
    const caller = requireCaller(context)
    const { action } = context
    return { member: presentUser(await changeRole(context, { caller, userId: id, role, action })) }
  }

  @Mutation(() => RemoveMemberPayload, {
    nullable: true,
    description:
      "Removes a member from the account. The member's sessions in the account end at once. The last owner of an account cannot be removed.",
  })
  async removeMember(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RemoveMemberInput, { description: 'The member to remove.' })
    { id, disableApiKeys }: RemoveMemberInput,
  ): Promise<RemoveMemberPayload> {
    const caller = requireCaller(context)
    const { action } = context
    const options = { caller, userId: id, disablesKeys: disableApiKeys, action }
    const { disabledKeys } = await removeMember(context, options)
    return { removedMemberId: id, disabledApiKeys: disabledKeys }
  }

  @Mutation(() => LeaveAccountPayload, {
    nullable: true,
    description:
      "Ends the caller's membership in the account of the session, and all of the caller's sessions in it. API keys that the caller created stay with the account. The last owner cannot leave.",
  })
  async leaveAccount(@Ctx() context: SubgraphContext): Promise<LeaveAccountPayload> {
    const caller = requireSession(context)
    await leaveAccount(context, { caller, action: context.action })
    return { leftAccountId: caller.accountId }
  }
}
