import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { confirmEmail, requestConfirmation } from '../../domain/accounts/confirm-email.ts'
import { type Actor, actorOf } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
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

@Resolver()
export class ConfirmEmailResolver {
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
}
