import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import { changePassword, requestPasswordReset, resetPassword } from '../../domain/accounts/set-password.ts'
import { type Actor, actorOf } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'

/** The fields that changing and resetting a password have in common. */
const fields = {
  newPassword: Field(() => String, {
    description: `The new password, ${minPasswordLength} to ${maxPasswordLength} characters.`,
  }),
  revokeApiKeys: Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether to revoke the API keys that the user created, and every API key of accounts without another member, including provisioning keys. Set this to true if another person may know the password: a session can read and create keys.',
  }),
  revokedApiKeys: Field(() => Int, {
    description: 'The number of API keys that were revoked. 0 unless the request asked to revoke them.',
  }),
}

@InputType({ description: 'The current and the new password.' })
class ChangePasswordInput {
  @Field(() => String, { description: "The caller's current password." })
  currentPassword!: string

  @fields.newPassword
  newPassword!: string

  @fields.revokeApiKeys
  revokeApiKeys!: boolean
}

@ObjectType({ description: 'The result of changing a password.' })
class ChangePasswordPayload {
  @Field(() => Int, { description: "The number of the caller's other sessions that were ended." })
  endedSessions!: number

  @fields.revokedApiKeys
  revokedApiKeys!: number
}

@InputType({ description: 'The e-mail address for which to reset the password.' })
class RequestPasswordResetInput {
  @Field(() => String, { description: 'The e-mail address with which the user logs in.' })
  email!: string
}

@ObjectType({ description: 'The result of requesting a password reset.' })
class RequestPasswordResetPayload {
  @Field(() => Boolean, {
    description:
      'Always `true`. The value does not reveal whether the address belongs to a user or whether an e-mail is sent.',
  })
  isRequested!: boolean
}

@InputType({ description: 'The reset token and the new password.' })
class ResetPasswordInput {
  @Field(() => String, { description: 'The token: the part of the link in the e-mail after `#`.' })
  token!: string

  @fields.newPassword
  newPassword!: string

  @fields.revokeApiKeys
  revokeApiKeys!: boolean
}

@ObjectType({ description: 'The result of resetting a password.' })
class ResetPasswordPayload {
  @Field(() => Boolean, { description: 'Whether all sessions of the user were ended. Always `true`.' })
  sessionsEnded!: boolean

  @fields.revokedApiKeys
  revokedApiKeys!: number

  /** For the audit log. */
  actor!: Actor | null
}

@Resolver()
export class PasswordResolver {
  @Mutation(() => ChangePasswordPayload, {
    nullable: true,
    description: "Changes the caller's password and ends the caller's other sessions.",
  })
  async changePassword(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ChangePasswordInput, { description: 'The current and the new password.' })
    input: ChangePasswordInput,
  ): Promise<ChangePasswordPayload> {
    const { userId, familyId } = requireSession(context)
    return changePassword(context, { ...input, userId, familyId, address: context.address })
  }

  @Mutation(() => RequestPasswordResetPayload, {
    nullable: true,
    description:
      'Sends an e-mail with a link for setting a new password. If the address is not confirmed, the e-mail has a confirmation link instead. If the address is unknown, no e-mail is sent.',
  })
  async requestPasswordReset(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RequestPasswordResetInput, { description: 'The e-mail address.' })
    input: RequestPasswordResetInput,
  ): Promise<RequestPasswordResetPayload> {
    await requestPasswordReset(context, { ...input, address: context.address })
    return { isRequested: true }
  }

  @Mutation(() => ResetPasswordPayload, {
    nullable: true,
    description:
      'Sets a new password with the token from a reset e-mail and ends all sessions of the user. Requires no session.',
  })
  async resetPassword(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ResetPasswordInput, { description: 'The token and the new password.' })
    input: ResetPasswordInput,
  ): Promise<ResetPasswordPayload> {
    const reset = await resetPassword(context, { ...input, address: context.address })
    const { accountId, id: userId, revokedApiKeys } = reset
    return { sessionsEnded: true, revokedApiKeys, actor: actorOf(accountId, userId) }
  }
}
