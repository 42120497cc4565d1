import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { completeLogIn, logIn, startPasskeyLogIn } from '../../domain/second-factors/log-in.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentSession, Session } from './account.ts'
import { ProofInput, presentSignInChallenge, proofOf, SignInChallenge } from './challenge.ts'

@InputType({ description: "The user's credentials." })
class LogInInput {
  @Field(() => String, { description: "The user's e-mail address." })
  email!: string

  @Field(() => String, { description: "The user's password." })
  password!: string
}

@ObjectType({
  description: 'The result of logging in: a session, or a challenge if the user has a second factor.',
})
class LogInPayload {
  @Field(() => Session, {
    nullable: true,
    description: 'The session. `null` if the user has a second factor: complete the challenge.',
  })
  session!: Session | null

  @Field(() => SignInChallenge, {
    nullable: true,
    description: 'The challenge to complete with `completeLogIn`. `null` if the user has no second factor.',
  })
  challenge!: SignInChallenge | null

  /** For the audit log. Null if there is no session yet. */
  actor!: Actor | null
}

@InputType({ description: 'The challenge of a log-in and a proof of a second factor.' })
class CompleteLogInInput extends ProofInput {
  @Field(() => String, { description: 'The token of the challenge.' })
  challengeToken!: string
}

@ObjectType({ description: 'The result of completing a log-in.' })
class CompleteLogInPayload {
  @Field(() => Session, { description: 'The session.' })
  session!: Session

  /** For the audit log. */
  actor!: Actor
}

@ObjectType({ description: 'The result of beginning a log-in with a passkey alone.' })
class StartPasskeyLogInPayload {
  @Field(() => SignInChallenge, { description: 'The challenge to complete with `completeLogIn`.' })
  challenge!: SignInChallenge
}

@Resolver()
export class LogInResolver {
  @Mutation(() => LogInPayload, {
    nullable: true,
    description:
      'Logs in a user by password. If the user has a second factor, the result is a challenge, which `completeLogIn` completes.',
  })
  async logIn(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => LogInInput, { description: "The user's credentials." }) input: LogInInput,
  ): Promise<LogInPayload> {
    const { session, challenge } = await logIn(context, { ...input, address: context.address })
    if (challenge) return { session: null, challenge: presentSignInChallenge(challenge), actor: null }
    return { ...(await presentSession(context, session)), challenge: null }
  }

  @Mutation(() => StartPasskeyLogInPayload, {
    nullable: true,
    description:
      'Begins a log-in with a passkey alone, without an e-mail address or password. The authenticator must verify the user, for example with a PIN or a fingerprint.',
  })
  async startPasskeyLogIn(@Ctx() context: SubgraphContext): Promise<StartPasskeyLogInPayload> {
    return {
      challenge: presentSignInChallenge(await startPasskeyLogIn(context, { address: context.address })),
    }
  }

  @Mutation(() => CompleteLogInPayload, {
    nullable: true,
    description: 'Completes a log-in with a second factor, or with a passkey alone.',
  })
  async completeLogIn(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => CompleteLogInInput, { description: 'The challenge and the proof.' })
    input: CompleteLogInInput,
  ): Promise<CompleteLogInPayload> {
    const { challengeToken } = input
    const { address } = context
    return presentSession(
      context,
      await completeLogIn(context, { challengeToken, proof: proofOf(input), address }),
    )
  }
}
