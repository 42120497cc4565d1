import {
  Arg,
  Args,
  Ctx,
  Directive,
  Field,
  ID,
  InputType,
  Mutation,
  ObjectType,
  Query,
  Resolver,
} from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import { acceptInvitation } from '../../domain/members/accept-invitation.ts'
import {
  countInvitations,
  findInvitation,
  findInvitations,
  type Invitation as InvitationRecord,
  invitationOrder,
  listInvitations,
  positionOfInvitation,
} from '../../domain/members/invitation-records.ts'
import { createInvitation, resendInvitation, revokeInvitation } from '../../domain/members/invite.ts'
import type { Role as AnyRole } from '../../schema/entities/accounts.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import { requireCaller } from '../runtime/call.ts'
import { ConnectionArgs, connection, sliceOf, toConnection } from '../runtime/connections.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { presentAccount, presentSession, Session } from './account.ts'
import { Role } from './viewer.ts'

@ObjectType({ description: 'An invitation to the account that was neither accepted nor revoked.' })
@Directive('@key(fields: "id")')
export class Invitation {
  @Field(() => ID, { description: "The invitation's ID." })
  id!: string

  @Field(() => String, { description: 'The e-mail address to which the invitation was sent.' })
  email!: string

  @Field(() => Role, { description: 'The role that the person will have.' })
  role!: AnyRole

  @Field(() => ID, {
    nullable: true,
    description: 'The ID of the user who sent the invitation. `null` if an API key sent it.',
  })
  invitedBy!: string | null

  @Field(() => DateTime, { description: 'When the invitation was created.' })
  createdAt!: Date

  @Field(() => DateTime, { description: 'When the latest e-mail was requested.' })
  sentAt!: Date

  @Field(() => DateTime, { description: 'When the latest link expires.' })
  expiresAt!: Date
}

export function presentInvitation(record: InvitationRecord): Invitation {
  return record
}

@InputType({ description: 'The address to invite and the role.' })
class CreateInvitationInput {
  @Field(() => String, { description: 'The e-mail address.' })
  email!: string

  @Field(() => Role, { description: 'The role that the person will have. Only owners can invite owners.' })
  role!: AnyRole
}

@ObjectType({ description: 'The result of creating an invitation.' })
class CreateInvitationPayload {
  @Field(() => Invitation, { description: 'The invitation.' })
  invitation!: Invitation
}

@InputType({ description: 'The invitation to send again.' })
class ResendInvitationInput {
  @Field(() => ID, { description: "The invitation's ID." })
  id!: string
}

@ObjectType({ description: 'The result of sending an invitation again.' })
class ResendInvitationPayload {
  @Field(() => Invitation, { description: 'The invitation.' })
  invitation!: Invitation
}

@InputType({ description: 'The invitation to revoke.' })
class RevokeInvitationInput {
  @Field(() => ID, { description: "The invitation's ID." })
  id!: string
}

@ObjectType({ description: 'The revoked invitation.' })
class RevokeInvitationPayload {
  @Field(() => ID, { description: "The invitation's ID." })
  revokedInvitationId!: string
}

@InputType({ description: 'The token of an invitation, and the details of a new user.' })
class AcceptInvitationInput {
  @Field(() => String, { description: 'The token: the part of the link in the e-mail after `#`.' })
  token!: string

  @Field(() => String, {
    nullable: true,
    description: `The password of a new user, ${minPasswordLength} to ${maxPasswordLength} characters. Required if no user has confirmed the address, and refused otherwise.`,
  })
  password?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The name of a new user, at most 200 characters. Defaults to the e-mail address.',
  })
  name?: string | null
}

@ObjectType({ description: 'The result of accepting an invitation.' })
class AcceptInvitationPayload {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: "The account's name." })
  accountName!: string

  @Field(() => Session, {
    nullable: true,
    description:
      'The first session of a new user. `null` if the user existed: log in, or switch to the account with `switchAccount`.',
  })
  session!: Session | null

  /** For the audit log. */
  actor!: Actor
}

const InvitationConnection = connection(Invitation)

const invitationById = batched({
  findAll: async (context, ids) =>
    context.caller ? findInvitations(context, { accountId: context.caller.accountId, ids }) : [],
  idOf: ({ id }) => id,
})

/** Returns an invitation to the caller's account, or `undefined`. */
export async function findInvitationById(
  context: SubgraphContext,
  id: string,
): Promise<Invitation | undefined> {
  const record = await invitationById(context, id)
  return record && presentInvitation(record)
}

/** Invitations to the account (docs/teams.md). */
@Resolver(() => Invitation)
export class InvitationsResolver {
  @Query(() => Invitation, { nullable: true, description: 'Returns an invitation to the account.' })
  async invitation(
    @Ctx() context: SubgraphContext,
    @Arg('id', () => ID, { description: "The invitation's ID." }) id: string,
  ): Promise<Invitation> {
    const { accountId } = requireCaller(context)
    return presentInvitation(await findInvitation(context, { accountId, id }))
  }

  @Query(() => InvitationConnection, {
    nullable: true,
    description: 'Lists the invitations that were neither accepted nor revoked, newest first.',
  })
  async invitations(@Ctx() context: SubgraphContext, @Args(() => ConnectionArgs) args: ConnectionArgs) {
    const { accountId } = requireCaller(context)
    const { queries } = context
    const slice = sliceOf(args, invitationOrder)
    return toConnection(slice, {
      rows: await queries.run(accountId, from => listInvitations(from, { accountId, slice })),
      positionOf: positionOfInvitation,
      present: presentInvitation,
      countAll: () => queries.run(accountId, from => countInvitations(from, { accountId })),
    })
  }

  @Mutation(() => CreateInvitationPayload, {
    nullable: true,
    description:
      'Invites the owner of an e-mail address to the account. The response does not reveal whether a user has the address.',
  })
  async createInvitation(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CreateInvitationInput, { description: 'The address and the role.' })
    input: CreateInvitationInput,
  ): Promise<CreateInvitationPayload> {
    const caller = requireCaller(context)
    const { action } = context
    return { invitation: presentInvitation(await createInvitation(context, { ...input, caller, action })) }
  }

  @Mutation(() => ResendInvitationPayload, {
    nullable: true,
    description:
      'Sends the e-mail of an invitation again. The link is valid for seven days, and the previous link stops working.',
  })
  async resendInvitation(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ResendInvitationInput, { description: 'The invitation.' }) {
      id,
    }: ResendInvitationInput,
  ): Promise<ResendInvitationPayload> {
    const caller = requireCaller(context)
    const { action } = context
    return { invitation: presentInvitation(await resendInvitation(context, { id, caller, action })) }
  }

  @Mutation(() => RevokeInvitationPayload, {
    nullable: true,
    description: 'Revokes an invitation. Its link stops working.',
  })
  async revokeInvitation(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RevokeInvitationInput, { description: 'The invitation.' }) {
      id,
    }: RevokeInvitationInput,
  ): Promise<RevokeInvitationPayload> {
    const caller = requireCaller(context)
    await revokeInvitation(context, { id, caller, action: context.action })
    return { revokedInvitationId: id }
  }

  @Mutation(() => AcceptInvitationPayload, {
    nullable: true,
    description:
      'Accepts an invitation with the token from its e-mail. The user who confirmed the address becomes a member. If there is none, a new user is created with `password`. Requires no session. With the session of another user, it fails with `wrong_address`.',
  })
  async acceptInvitation(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => AcceptInvitationInput, { description: 'The token, and the details of a new user.' })
    input: AcceptInvitationInput,
  ): Promise<AcceptInvitationPayload> {
    const { caller, address } = context
    const { accountId, userId, session } = await acceptInvitation(context, { ...input, caller, address })
    const account = presentAccount(await readAccount(context, { accountId }))
    const begun = session && (await presentSession(context, session)).session
    return { accountId, accountName: account.name, session: begun ?? null, actor: { accountId, userId } }
  }
}
