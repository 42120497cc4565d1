import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import { logIn, signUp } from '../../domain/accounts/log-in.ts'
import { maxPasswordLength, minPasswordLength } from '../../domain/accounts/open-account.ts'
import { type Session as IssuedSession, logOut, refreshSession } from '../../domain/accounts/sessions.ts'
import { requireSession } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account, presentAccount } from './account.ts'

/** The person who acted, and the account. */
interface Actor {
  accountId: string
  userId: string
}

@ObjectType({ description: 'What a log-in yields.' })
class Session {
  @Field(() => String, { description: 'Sent as `Authorization: Bearer …`.' })
  accessToken!: string

  @Field(() => DateTime, { description: 'When the access token ends.' })
  expiresAt!: Date

  @Field(() => String, { description: 'Good for one refresh; using it twice ends the session.' })
  refreshToken!: string

  @Field(() => Account, { description: 'The account that was logged in to.' })
  account!: Account
}

@InputType({ description: 'Who signs up.' })
class SignUpInput {
  @Field(() => String, { description: 'The e-mail address to log in with.' })
  email!: string

  @Field(() => String, { description: `${minPasswordLength} to ${maxPasswordLength} characters.` })
  password!: string

  @Field(() => String, {
    nullable: true,
    description: 'What the account is called; the e-mail unless given.',
  })
  name?: string | null
}

@ObjectType({ description: 'The account that was opened, and its first session.' })
class SignUpPayload {
  @Field(() => Session, { description: 'The session.' })
  session!: Session

  /** For the audit log. */
  actor!: Actor
}

@InputType({ description: 'Who logs in.' })
class LogInInput {
  @Field(() => String, { description: 'The e-mail address.' })
  email!: string

  @Field(() => String, { description: 'The password.' })
  password!: string
}

@ObjectType({ description: 'The session that began.' })
class LogInPayload {
  @Field(() => Session, { description: 'The session.' })
  session!: Session

  /** For the audit log. */
  actor!: Actor
}

@InputType({ description: 'Which session is continued.' })
class RefreshSessionInput {
  @Field(() => String, { description: 'The newest refresh token of the session.' })
  refreshToken!: string
}

@ObjectType({ description: 'The session that continues.' })
class RefreshSessionPayload {
  @Field(() => Session, { description: 'The session, with new tokens.' })
  session!: Session
}

@ObjectType({ description: 'What became of the session.' })
class LogOutPayload {
  @Field(() => Boolean, {
    description: 'Whether its tokens are refused from now on; another issuer ends its sessions itself.',
  })
  sessionEnded!: boolean
}

@Resolver(() => Session)
export class SessionResolver {
  @Mutation(() => SignUpPayload, {
    nullable: true,
    description:
      'Opens an account and logs its first user in. The answer is the same if the address belongs to another account: then its owner gets an e-mail, and the new account cannot confirm the address.',
  })
  async signUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SignUpInput, { description: 'Who signs up.' }) input: SignUpInput,
  ): Promise<SignUpPayload> {
    return present(context, await signUp(context, { ...input, address: context.address }))
  }

  @Mutation(() => LogInPayload, { nullable: true, description: 'Logs a person in.' })
  async logIn(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => LogInInput, { description: 'Who logs in.' }) input: LogInInput,
  ): Promise<LogInPayload> {
    return present(context, await logIn(context, { ...input, address: context.address }))
  }

  @Mutation(() => RefreshSessionPayload, {
    nullable: true,
    description: 'Exchanges a refresh token, once, for a new session.',
  })
  async refreshSession(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RefreshSessionInput, { description: 'Which session is continued.' })
    input: RefreshSessionInput,
  ): Promise<RefreshSessionPayload> {
    return present(context, await refreshSession(context, { ...input, address: context.address }))
  }

  @Mutation(() => LogOutPayload, {
    nullable: true,
    description: 'Ends the session: its tokens are refused from now on.',
  })
  async logOut(@Ctx() context: SubgraphContext): Promise<LogOutPayload> {
    const { familyId } = requireSession(context)
    if (familyId === undefined) return { sessionEnded: false }
    await logOut(context, { familyId })
    return { sessionEnded: true }
  }
}

async function present(
  context: SubgraphContext,
  session: IssuedSession,
): Promise<{ session: Session; actor: Actor }> {
  const { accountId, userId, ...tokens } = session
  const account = presentAccount(await readAccount(context, { accountId }))
  return { session: { ...tokens, account }, actor: { accountId, userId } }
}
