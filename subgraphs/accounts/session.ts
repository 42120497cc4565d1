import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { signUp } from '../../domain/accounts/log-in.ts'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import { logOut, refreshSession } from '../../domain/accounts/sessions.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import { requireSession } from '../runtime/call.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentSession, Session } from './account.ts'

@InputType({ description: 'The details of the new account and its first user.' })
class SignUpInput {
  @Field(() => String, { description: 'The e-mail address with which the user logs in.' })
  email!: string

  @Field(() => String, {
    description: `The password, ${minPasswordLength} to ${maxPasswordLength} characters.`,
  })
  password!: string

  @Field(() => String, {
    nullable: true,
    description: "The account's name, at most 200 characters. Defaults to the e-mail address.",
  })
  name?: string | null
}

@ObjectType({ description: 'The result of signing up.' })
class SignUpPayload {
  @Field(() => Session, { description: 'The first session of the new account.' })
  session!: Session

  /** For the audit log. */
  actor!: Actor
}

@InputType({ description: 'The refresh token of the session.' })
class RefreshSessionInput {
  @Field(() => String, { description: 'The refresh token that was issued last for the session.' })
  refreshToken!: string
}

@ObjectType({ description: 'The result of refreshing a session.' })
class RefreshSessionPayload {
  @Field(() => Session, { description: 'The session, with new tokens.' })
  session!: Session
}

@ObjectType({ description: 'The result of logging out.' })
class LogOutPayload {
  @Field(() => Boolean, {
    description:
      'Whether the session was ended, so that its tokens are no longer accepted. `false` if another issuer created the session: end it there.',
  })
  sessionEnded!: boolean
}

@Resolver(() => Session)
export class SessionResolver {
  @Mutation(() => SignUpPayload, {
    nullable: true,
    description:
      "Creates an account and logs in its first user. The response does not reveal whether another account has confirmed the e-mail address. If one has, the address's owner gets an e-mail, and the new account cannot confirm the address.",
  })
  async signUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SignUpInput, { description: 'The details of the new account.' }) input: SignUpInput,
  ): Promise<SignUpPayload> {
    return presentSession(context, await signUp(context, { ...input, address: context.address }))
  }

  @Mutation(() => RefreshSessionPayload, {
    nullable: true,
    description:
      'Exchanges a refresh token for new tokens of the same session. Each refresh token can be exchanged once.',
  })
  async refreshSession(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RefreshSessionInput, { description: 'The refresh token of the session.' })
    input: RefreshSessionInput,
  ): Promise<RefreshSessionPayload> {
    return presentSession(context, await refreshSession(context, { ...input, address: context.address }))
  }

  @Mutation(() => LogOutPayload, {
    nullable: true,
    description: "Ends the caller's session. Requests with its tokens then fail with 401.",
  })
  async logOut(@Ctx() context: SubgraphContext): Promise<LogOutPayload> {
    const { familyId } = requireSession(context)
    if (familyId === undefined) return { sessionEnded: false }
    await logOut(context, { familyId })
    return { sessionEnded: true }
  }
}
