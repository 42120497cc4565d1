import { Field, ID, Int, ObjectType } from 'type-graphql'
import { type AccountRow, readOverview } from '../../../domain/accounts/list-accounts.ts'
import type { Standing } from '../../../domain/allowances/allowances.ts'
import { ownAllowancesOf } from '../../../domain/allowances/standing.ts'
import { Problem } from '../../../schema/errors.ts'
import { DateTime, Money } from '../../runtime/scalars.ts'
import type { SubgraphContext } from '../../runtime/services.ts'

@ObjectType({ description: 'An account with the details that operators can read.' })
export class AccountOverview {
  @Field(() => ID, { description: "The account's ID." })
  id!: string

  @Field(() => String, { description: "The account's name." })
  name!: string

  @Field(() => [String], { description: "The e-mail addresses of the account's users, at most 20." })
  emails!: string[]

  @Field(() => DateTime, { description: 'When the account was created.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the account was suspended. `null` if it is not suspended.',
  })
  suspendedAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'The reason for the suspension. `null` if the account is not suspended.',
  })
  suspensionReason!: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the account was closed. `null` if it is open.',
  })
  closedAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'The reason for closing the account. `null` if it is open.',
  })
  closingReason!: string | null

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When the data of the closed account are to be deleted; until then it can be reopened. `null` if it is open, or if all of its data are deleted.',
  })
  eraseAt!: Date | null

  @Field(() => DateTime, {
    nullable: true,
    description: "When the deletion of the closed account's data began. `null` if it has not begun.",
  })
  erasedAt!: Date | null

  @Field(() => Money, { description: "The account's credits, in US dollars." })
  credits!: bigint

  @Field(() => Money, {
    description:
      'The amount reserved for requests and tasks, in US dollars. Unlike `Balance.held`, it includes headroom that edge processes reserve in advance.',
  })
  held!: bigint

  @Field(() => Boolean, {
    description:
      'Whether the account is in the paying tier: its top-ups and grants exceed its refunded payments, disputes and debits.',
  })
  isPaying!: boolean

  /** The account's tier and own limits. Not a field of the graph. */
  standing!: Standing

  @Field(() => Int, { description: 'The number of API keys that are not revoked.' })
  keyCount!: number
}

/** Presents an account row to operators. */
export function presentOverview(row: AccountRow): AccountOverview {
  const { creditsNanos: credits, heldNanos: held, keys: keyCount, allowances, ...rest } = row
  const { id: accountId, isPaying } = row
  const standing = { accountId, isPaying, ownAllowances: ownAllowancesOf(allowances) }
  return { ...rest, credits, held, keyCount, standing }
}

/** Reads an account for operators. Throws `not_found` if it does not exist. */
export async function overviewOf(context: SubgraphContext, accountId: string): Promise<AccountOverview> {
  const row = await readOverview(context, { accountId })
  if (!row) throw new Problem('not_found')
  return presentOverview(row)
}
