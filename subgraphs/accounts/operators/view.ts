import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Resolver } from 'type-graphql'
import { openView } from '../../../domain/callers/account-views.ts'
import { reasonDescription } from '../../runtime/audit-mutations.ts'
import { requireOperator } from '../../runtime/call.ts'
import { DateTime } from '../../runtime/scalars.ts'
import type { SubgraphContext } from '../../runtime/services.ts'
import { AccountOverview, overviewOf } from './overview.ts'

@InputType({ description: 'The account to view and the reason.' })
class ViewAccountInput {
  @Field(() => ID, { description: "The account's ID." })
  accountId!: string

  @Field(() => String, { description: reasonDescription })
  reason!: string
}

@ObjectType({ description: "An operator's view of an account." })
class ViewAccountPayload {
  @Field(() => String, {
    description:
      'The token of the view. Send it as `Authorization: Bearer <token>`. The API then answers as to a member of the account who can only read.',
  })
  accessToken!: string

  @Field(() => DateTime, { description: 'When the view ends.' })
  expiresAt!: Date

  @Field(() => AccountOverview, { description: 'The account.' })
  account!: AccountOverview
}

/** The mutation with which operators read an account as its members see it (docs/behaviour.md, Operators). */
@Resolver()
export class ViewAccountResolver {
  @Mutation(() => ViewAccountPayload, {
    nullable: true,
    description:
      "Opens a view of an account for at most 15 minutes: a token with which the operator reads what the account's members see. The view changes nothing and reads no secrets. Requires an operator key.",
  })
  async viewAccount(
    @Ctx() context: SubgraphContext,
    @Arg('input', () => ViewAccountInput, { description: 'The account and the reason.' })
    { accountId, reason }: ViewAccountInput,
  ): Promise<ViewAccountPayload> {
    const operator = requireOperator(context)
    const view = await openView(context, { accountId, reason, operator })
    return { ...view, account: await overviewOf(context, accountId) }
  }
}
