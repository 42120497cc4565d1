import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { readAccount } from '../../domain/accounts/accounts.ts'
import { logIn, signUp } from '../../domain/accounts/log-in.ts'
import { type Session as IssuedSession, logOut, refreshSession } from '../../domain/accounts/sessions.ts'
import { requireSession } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { Account, presentAccount } from './account.ts'

@ObjectType({ description: 'What a log-in yields.' })
export class Session {
  @Field(() => String, { description: 'Sent as `Authorization: Bearer …`.' })
  accessToken!: string

  @Field(() => DateTime, { description: 'When the access token ends.' })
  expiresAt!: Date

  @Field(() => String, { description: 'Good for one refresh; using it twice ends the session.' })
  refreshToken!: string

  @Field(() => Account)
  account!: Account
}

@InputType()
export class SignUpInput {
  @Field(() => String)
  email!: string

  @Field(() => String, { description: '8 to 200 characters.' })
  password!: string

  @Field(() => String, {
    nullable: true,
    description: 'What the account is called; the e-mail unless given.',
  })
  name?: string | null
}

@InputType()
export class LogInInput {
  @Field(() => String)
  email!: string

  @Field(() => String)
  password!: string
}

@InputType()
export class RefreshSessionInput {
  @Field(() => String)
  refreshToken!: string
}

@Resolver(() => Session)
export class SessionResolver {
  @Mutation(() => Session, { description: 'Opens an account and logs its first user in.' })
  async signUp(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => SignUpInput) input: SignUpInput,
  ): Promise<Session> {
    const { address } = context
    return present(context, await signUp(context, { ...input, address }))
  }

  @Mutation(() => Session)
  async logIn(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => LogInInput) input: LogInInput,
  ): Promise<Session> {
    const { address } = context
    return present(context, await logIn(context, { ...input, address }))
  }

  @Mutation(() => Session, { description: 'Exchanges a refresh token, once, for a new session.' })
  async refreshSession(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RefreshSessionInput) input: RefreshSessionInput,
  ): Promise<Session> {
    return present(context, await refreshSession(context, { ...input, address: context.address }))
  }

  @Mutation(() => Boolean, { description: 'Ends the session: its tokens are refused from now on.' })
  async logOut(@Ctx() context: SubgraphContext): Promise<boolean> {
    const { familyId } = requireSession(context)
    if (familyId !== undefined) await logOut(context, { familyId }) // a foreign issuer ends its sessions itself
    return true
  }
}

async function present(context: SubgraphContext, session: IssuedSession): Promise<Session> {
  const { accountId, ...tokens } = session
  return { ...tokens, account: presentAccount(await readAccount(context, { accountId })) }
}
