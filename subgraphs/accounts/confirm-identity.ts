import { Arg, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { confirmationLastsMs } from '../../domain/callers/confirmations.ts'
import { confirmIdentity, startConfirmation } from '../../domain/second-factors/confirm-identity.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { requireOwnSession } from './account.ts'
import { ProofInput, presentSignInChallenge, proofOf, SignInChallenge } from './challenge.ts'

@ObjectType({ description: 'The result of beginning a confirmation.' })
class StartConfirmationPayload {
  @Field(() => SignInChallenge, {
    description: 'The challenge for a passkey. Confirmations without a passkey need no challenge.',
  })
  challenge!: SignInChallenge
}

@InputType({
  description:
    'The password and, if the user has a second factor, a proof of it. A passkey whose authenticator verifies the user needs no password.',
})
class ConfirmIdentityInput extends ProofInput {
  @Field(() => String, { nullable: true, description: "The caller's password." })
  password?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The token of the challenge that a passkey signed. Required with `passkey`.',
  })
  challengeToken?: string | null
}

@ObjectType({ description: 'The result of confirming an identity.' })
class ConfirmIdentityPayload {
  @Field(() => DateTime, { description: 'Until when the session counts as confirmed.' })
  confirmedUntil!: Date
}

@Resolver()
export class ConfirmIdentityResolver {
  @Mutation(() => StartConfirmationPayload, {
    nullable: true,
    description: "Begins a confirmation of the caller's identity with a passkey.",
  })
  async startConfirmation(@Ctx() context: SubgraphContext): Promise<StartConfirmationPayload> {
    const challenge = await startConfirmation(context, requireOwnSession(context))
    return { challenge: presentSignInChallenge(challenge) }
  }

  @Mutation(() => ConfirmIdentityPayload, {
    nullable: true,
    description:
      "Confirms the caller's identity. For ten minutes, the session can then do operations that need a confirmation.",
  })
  async confirmIdentity(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ConfirmIdentityInput, { description: 'The password and the proof.' })
    input: ConfirmIdentityInput,
  ): Promise<ConfirmIdentityPayload> {
    const { password, challengeToken } = input
    const { address, clock } = context
    const session = requireOwnSession(context)
    await confirmIdentity(context, { ...session, password, challengeToken, proof: proofOf(input), address })
    return { confirmedUntil: new Date(clock.now() + confirmationLastsMs) }
  }
}
