import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { confirmedUntil } from '../../domain/callers/confirmations.ts'
import { readSignInStatus, requireSecondFactor } from '../../domain/second-factors/sign-in-settings.ts'
import { requireSession } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({ description: 'How the caller signs in.' })
class SignInStatus {
  @Field(() => Boolean, {
    description: 'Whether the account requires a second factor. Members without one can only add one.',
  })
  requiresSecondFactor!: boolean

  @Field(() => Boolean, { description: 'Whether the caller has a second factor.' })
  hasSecondFactor!: boolean

  @Field(() => Boolean, {
    description:
      'Whether the session can only add a second factor, because the account requires one and the caller has none. `false` for a session that began at an issuer, which fulfils the requirement.',
  })
  lacksSecondFactor!: boolean

  @Field(() => Boolean, {
    description: 'Whether the caller has a password. `false` if the caller signs in through an issuer only.',
  })
  hasPassword!: boolean

  @Field(() => Int, { description: 'The number of recovery codes that the caller has not used.' })
  recoveryCodesLeft!: number

  @Field(() => DateTime, {
    nullable: true,
    description:
      'Until when the session counts as confirmed. `null` for a session of another issuer, which needs no confirmation.',
  })
  confirmedUntil!: Date | null
}

@InputType({ description: 'Whether the account requires a second factor.' })
class RequireSecondFactorInput {
  @Field(() => Boolean, { description: 'Whether members without a second factor can only add one.' })
  isRequired!: boolean
}

@ObjectType({ description: 'The result of changing whether the account requires a second factor.' })
class RequireSecondFactorPayload {
  @Field(() => Boolean, { description: 'Whether the account now requires a second factor.' })
  isRequired!: boolean
}

@Resolver()
export class SignInStatusResolver {
  @Query(() => SignInStatus, { nullable: true, description: 'Returns how the caller signs in.' })
  async signInStatus(@Ctx() context: SubgraphContext): Promise<SignInStatus> {
    const caller = requireSession(context)
    const { accountId, userId, familyId } = caller
    const status =
      familyId === undefined
        ? { requiresSecondFactor: false, hasSecondFactor: false, hasPassword: false, recoveryCodesLeft: 0 }
        : await readSignInStatus(context, { accountId, userId })
    const lacksSecondFactor = caller.lacksSecondFactor === true
    return { ...status, lacksSecondFactor, confirmedUntil: confirmedUntil(caller) ?? null }
  }

  @Mutation(() => RequireSecondFactorPayload, {
    nullable: true,
    description:
      'Changes whether the account requires a second factor of its members. The caller must have one. Requires a recent confirmation.',
  })
  async requireSecondFactor(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RequireSecondFactorInput, { description: 'Whether it is required.' })
    { isRequired }: RequireSecondFactorInput,
  ): Promise<RequireSecondFactorPayload> {
    const { accountId, userId } = requireSession(context)
    await requireSecondFactor(context, { accountId, userId, isRequired })
    return { isRequired }
  }
}
