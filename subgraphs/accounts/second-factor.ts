import { Arg, Args, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { requireUnlimited } from '../../domain/callers/limited-sessions.ts'
import {
  countFactors,
  type FactorKind,
  factorOrder,
  listFactors,
  maxFactorNameLength,
  renameFactor,
  type SecondFactor as SecondFactorRecord,
} from '../../domain/second-factors/factor-records.ts'
import { removeFactor, renewRecoveryCodes } from '../../domain/second-factors/remove-factor.ts'
import { requireSession } from '../runtime/call.ts'
import { ConnectionArgs, connection, sliceOf, toConnection } from '../runtime/connections.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { requireOwnSession } from './account.ts'

const SecondFactorKind = graphEnum<FactorKind>('SecondFactorKind', {
  description: 'A kind of second factor.',
  values: { totp: 'An authenticator app, which shows codes.', passkey: 'A passkey or security key.' },
})

@ObjectType({ description: 'An authenticator app or a passkey of a user.' })
export class SecondFactor {
  @Field(() => ID, { description: "The second factor's ID." })
  id!: string

  @Field(() => SecondFactorKind, { description: 'Whether it is an authenticator app or a passkey.' })
  kind!: FactorKind

  @Field(() => String, { description: "The second factor's name, 1 to 100 characters." })
  name!: string

  @Field(() => DateTime, { description: 'When the user added it.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description:
      "When it last proved the user's identity. `null` if it has not been used since it was added.",
  })
  lastUsedAt!: Date | null
}

const SecondFactorConnection = connection(SecondFactor)

@InputType({ description: 'The second factor to update.' })
class UpdateSecondFactorInput {
  @Field(() => ID, { description: "The second factor's ID." })
  id!: string

  @Field(() => String, { description: `The new name, 1 to ${maxFactorNameLength} characters.` })
  name!: string
}

@ObjectType({ description: 'The result of updating a second factor.' })
class UpdateSecondFactorPayload {
  @Field(() => SecondFactor, { description: 'The second factor.' })
  secondFactor!: SecondFactor
}

@InputType({ description: 'The second factor to remove.' })
class RemoveSecondFactorInput {
  @Field(() => ID, { description: "The second factor's ID." })
  id!: string
}

@ObjectType({ description: 'The result of removing a second factor.' })
class RemoveSecondFactorPayload {
  @Field(() => ID, { description: 'The ID of the removed second factor.' })
  removedSecondFactorId!: string
}

@ObjectType({ description: 'The result of renewing the recovery codes.' })
class RenewRecoveryCodesPayload {
  @Field(() => [String], {
    description: 'Ten new recovery codes. They cannot be read again. The previous codes no longer work.',
  })
  recoveryCodes!: string[]
}

/** Presents a second factor. */
function present(factor: SecondFactorRecord): SecondFactor {
  return { ...factor }
}

@Resolver(() => SecondFactor)
export class SecondFactorResolver {
  @Query(() => SecondFactorConnection, {
    nullable: true,
    description: "Lists the caller's second factors, newest first.",
  })
  async secondFactors(@Args(() => ConnectionArgs) args: ConnectionArgs, @Ctx() context: SubgraphContext) {
    const { userId } = requireSession(context)
    const slice = sliceOf(args, factorOrder)
    return toConnection(slice, {
      rows: await listFactors(context, { userId, slice }),
      positionOf: ({ createdAt, id }) => [String(createdAt.getTime() * 1000), id],
      present,
      countAll: async () => {
        const { totp, passkey } = await countFactors(context.sql, { userId })
        return totp + passkey
      },
    })
  }

  @Mutation(() => UpdateSecondFactorPayload, {
    nullable: true,
    description: "Changes the name of one of the caller's second factors.",
  })
  async updateSecondFactor(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => UpdateSecondFactorInput, { description: 'The second factor and its new name.' })
    { id, name }: UpdateSecondFactorInput,
  ): Promise<UpdateSecondFactorPayload> {
    const { userId, familyId } = requireOwnSession(context)
    await requireUnlimited(context, { familyId })
    return { secondFactor: present(await renameFactor(context, { userId, id, name })) }
  }

  @Mutation(() => RemoveSecondFactorPayload, {
    nullable: true,
    description:
      "Removes one of the caller's second factors. The last one also removes the recovery codes. Requires a recent confirmation.",
  })
  async removeSecondFactor(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => RemoveSecondFactorInput, { description: 'The second factor to remove.' })
    { id }: RemoveSecondFactorInput,
  ): Promise<RemoveSecondFactorPayload> {
    const { userId, familyId } = requireSession(context)
    await requireUnlimited(context, { familyId })
    await removeFactor(context, { userId, id, address: context.address })
    return { removedSecondFactorId: id }
  }

  @Mutation(() => RenewRecoveryCodesPayload, {
    nullable: true,
    description: "Replaces the caller's recovery codes. Requires a recent confirmation.",
  })
  async renewRecoveryCodes(@Ctx() context: SubgraphContext): Promise<RenewRecoveryCodesPayload> {
    const { userId, familyId } = requireSession(context)
    await requireUnlimited(context, { familyId })
    return { recoveryCodes: await renewRecoveryCodes(context, { userId, address: context.address }) }
  }
}
