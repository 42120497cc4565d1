import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import { changePassword, requestPasswordReset, resetPassword } from '../../domain/accounts/set-password.ts'
import { requireSession } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@InputType({ description: 'A change of password.' })
class ChangePasswordInput {
  @Field(() => String, { description: 'The password of the caller.' })
  currentPassword!: string

  @Field(() => String, {
    description: `The password from now on: ${minPasswordLength} to ${maxPasswordLength} characters.`,
  })
  newPassword!: string

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether to revoke all API keys of the account, provisioning keys included. Set it if a stranger may have had the password: a session can read and create keys.',
  })
  revokeApiKeys!: boolean
}

@ObjectType({ description: 'The result of a change of password.' })
class ChangePasswordPayload {
  @Field(() => Int, { description: 'The number of other sessions of the caller that were ended.' })
  endedSessions!: number

  @Field(() => Int, {
    description: 'The number of API keys that were revoked. Zero without `revokeApiKeys`.',
  })
  revokedApiKeys!: number
}

@InputType({ description: 'A request for an e-mail that resets a password.' })
class RequestPasswordResetInput {
  @Field(() => String, { description: 'The e-mail address that the person logs in with.' })
  email!: string
}

@ObjectType({ description: 'The result of a request for an e-mail that resets a password.' })
class RequestPasswordResetPayload {
  @Field(() => Boolean, {
    description: 'Always true. It does not say whether anyone has the address, or whether an e-mail is sent.',
  })
  isRequested!: boolean
}

@InputType({ description: 'A reset of a password.' })
class ResetPasswordInput {
  @Field(() => String, { description: 'The part after `#` of the link in the e-mail.' })
  token!: string

  @Field(() => String, {
    description: `The password from now on: ${minPasswordLength} to ${maxPasswordLength} characters.`,
  })
  newPassword!: string

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether to revoke all API keys of the account, provisioning keys included. Set it if a stranger may have had the password: a session can read and create keys.',
  })
  revokeApiKeys!: boolean
}

@ObjectType({ description: 'The result of a reset of a password.' })
class ResetPasswordPayload {
  @Field(() => Boolean, { description: 'Whether all sessions of the person were ended: always true.' })
  sessionsEnded!: boolean

  @Field(() => Int, {
    description: 'The number of API keys that were revoked. Zero without `revokeApiKeys`.',
  })
  revokedApiKeys!: number

  /** For the audit log. */
  actor!: { accountId: string; userId: string }
}

@Resolver()
export class PasswordResolver {
  @Mutation(() => ChangePasswordPayload, {
    nullable: true,
    description: "Changes the caller's password, and ends the caller's other sessions.",
  })
  async changePassword(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ChangePasswordInput, { description: 'The change.' }) input: ChangePasswordInput,
  ): Promise<ChangePasswordPayload> {
    const { userId, familyId } = requireSession(context)
    return changePassword(context, { ...input, userId, familyId, address: context.address })
  }

  @Mutation(() => RequestPasswordResetPayload, {
    nullable: true,
    description:
      'Sends an e-mail with a link that sets a new password. An address that is not confirmed gets a confirmation in its place.',
  })
  async requestPasswordReset(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RequestPasswordResetInput, { description: 'The request.' })
    input: RequestPasswordResetInput,
  ): Promise<RequestPasswordResetPayload> {
    await requestPasswordReset(context, { ...input, address: context.address })
    return { isRequested: true }
  }

  @Mutation(() => ResetPasswordPayload, {
    nullable: true,
    description: 'Sets a new password with the token of an e-mail, and ends all sessions. Needs no session.',
  })
  async resetPassword(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ResetPasswordInput, { description: 'The reset.' }) input: ResetPasswordInput,
  ): Promise<ResetPasswordPayload> {
    const reset = await resetPassword(context, { ...input, address: context.address })
    const { accountId, id: userId, revokedApiKeys } = reset
    return { sessionsEnded: true, revokedApiKeys, actor: { accountId, userId } }
  }
}
