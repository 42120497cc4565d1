import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql'
import { resetMember } from '../../../domain/second-factors/reset-member.ts'
import { reasonDescription } from '../../runtime/audit-mutations.ts'
import { requireOperator } from '../../runtime/call.ts'
import type { SubgraphContext } from '../../runtime/services.ts'

@InputType({ description: 'The member whose second factors are removed, and the reason.' })
class ResetSecondFactorsInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => ID, { description: 'The ID of the user, who must be a member of the account.' })
  userId!: string

  @Field(() => String, { description: reasonDescription })
  reason!: string
}

@ObjectType({ description: "The result of removing a user's second factors." })
class ResetSecondFactorsPayload {
  @Field(() => Int, { description: 'The number of sessions of the user that were ended.' })
  endedSessions!: number
}

@Resolver()
export class ResetSecondFactorsResolver {
  @Mutation(() => ResetSecondFactorsPayload, {
    nullable: true,
    description:
      'Removes the second factors and recovery codes of a member who has lost them, and ends all sessions of the user. The user gets an e-mail. Requires an operator key.',
  })
  async resetSecondFactors(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ResetSecondFactorsInput, { description: 'The member and the reason.' })
    input: ResetSecondFactorsInput,
  ): Promise<ResetSecondFactorsPayload> {
    requireOperator(context)
    return resetMember(context, input)
  }
}
