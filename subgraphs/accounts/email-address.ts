import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { confirmEmail, requestConfirmation } from '../../domain/accounts/confirm-email.ts'
import { changeEmail, requestEmailChange } from '../../domain/members/change-email.ts'
import { Problem } from '../../schema/errors.ts'
import { type Actor, actorOf } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { requireOwnSession } from './account.ts'
import { findUser, User } from './viewer.ts'

@ObjectType({ description: 'The result of requesting a confirmation e-mail.' })
class RequestEmailConfirmationPayload {
  @Field(() => User, {
    nullable: true,
    description:
      'The caller. If the address is already confirmed (`emailConfirmedAt` is set), no e-mail was sent.',
  })
  user!: User | null
}

@InputType({ description: 'The token that confirms an e-mail address.' })
class ConfirmEmailInput {
  @Field(() => String, { description: 'The token: the part of the link in the e-mail after `#`.' })
  token!: string
}

@ObjectType({ description: 'The result of confirming an e-mail address.' })
class ConfirmEmailPayload {
  @Field(() => String, { description: 'The confirmed e-mail address.' })
  email!: string

  /** For the audit log. */
  actor!: Actor | null
}

@InputType({ description: 'The new e-mail address.' })
class RequestEmailChangeInput {
  @Field(() => String, { description: "The caller's new e-mail address." })
  email!: string
}

@ObjectType({ description: 'The result of requesting a change of the e-mail address.' })
class RequestEmailChangePayload {
  @Field(() => Boolean, {
    description: 'Always `true`. The value does not reveal whether the address belongs to another user.',
  })
  isRequested!: boolean
}

@InputType({ description: 'The token that changes the e-mail address.' })
class ChangeEmailInput {
  @Field(() => String, { description: 'The token: the part of the link in the e-mail after `#`.' })
  token!: string
}

@ObjectType({ description: 'The result of changing the e-mail address.' })
class ChangeEmailPayload {
  @Field(() => User, { description: 'The caller, with the new address.' })
  user!: User

  @Field(() => Int, { description: "The number of the caller's other sessions that were ended." })
  endedSessions!: number
}

/** The confirmation and the change of a user's e-mail address (docs/sign-in.md, Change of address). */
@Resolver()
export class EmailAddressResolver {
  @Mutation(() => RequestEmailConfirmationPayload, {
    nullable: true,
    description: "Sends the caller another e-mail with a link that confirms the caller's e-mail address.",
  })
  async requestEmailConfirmation(@Ctx() context: SubgraphContext): Promise<RequestEmailConfirmationPayload> {
    const { accountId, userId } = requireSession(context)
    await requestConfirmation(context, { accountId, userId, address: context.address })
    return { user: (await findUser(context, userId)) ?? null }
  }

  @Mutation(() => ConfirmEmailPayload, {
    nullable: true,
    description:
      'Confirms an e-mail address with the token from the confirmation e-mail. Requires no session.',
  })
  async confirmEmail(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ConfirmEmailInput, { description: 'The confirmation.' }) input: ConfirmEmailInput,
  ): Promise<ConfirmEmailPayload> {
    const {
      accountId,
      id: userId,
      email,
    } = await confirmEmail(context, {
      ...input,
      address: context.address,
    })
    return { email, actor: actorOf(accountId, userId) }
  }

  @Mutation(() => RequestEmailChangePayload, {
    nullable: true,
    description:
      "Sends an e-mail to the caller's new address, with a link that changes the address. The present address stays valid until then. Requires a recent confirmation.",
  })
  async requestEmailChange(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RequestEmailChangeInput, { description: 'The new address.' })
    { email }: RequestEmailChangeInput,
  ): Promise<RequestEmailChangePayload> {
    const { address } = context
    await requestEmailChange(context, { ...changing(context), email, address })
    return { isRequested: true }
  }

  @Mutation(() => ChangeEmailPayload, {
    nullable: true,
    description:
      "Changes the caller's e-mail address with the token from the e-mail, which the caller requested. Ends the caller's other sessions.",
  })
  async changeEmail(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ChangeEmailInput, { description: 'The token.' }) { token }: ChangeEmailInput,
  ): Promise<ChangeEmailPayload> {
    const { address } = context
    const caller = changing(context)
    const { endedSessions } = await changeEmail(context, { ...caller, token, address })
    const user = await findUser(context, caller.userId)
    if (!user) throw new Problem('not_found')
    return { user, endedSessions }
  }
}

function changing(context: SubgraphContext): { accountId: string; userId: string; familyId: string } {
  return { ...requireOwnSession(context), accountId: requireSession(context).accountId }
}
