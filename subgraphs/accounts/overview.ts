import { Field, ID, Int, ObjectType } from 'type-graphql'
import { type AccountRow, readOverview } from '../../domain/accounts/list-accounts.ts'
import type { Standing } from '../../domain/allowances/allowances.ts'
import { ownAllowancesOf } from '../../domain/allowances/standing.ts'
import { Problem } from '../../schema/errors.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({ description: 'An account as operators see it.' })
export class AccountOverview {
  @Field(() => ID, { description: "The account's ID." })
  id!: string

  @Field(() => String, { description: "The account's name." })
  name!: string

  @Field(() => [String], { description: 'The e-mail addresses of its people, at most 20.' })
  emails!: string[]

  @Field(() => DateTime, { description: 'When the account was created.' })
  createdAt!: Date

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the account was suspended; `null` if it is active.',
  })
  suspendedAt!: Date | null

  @Field(() => String, {
    nullable: true,
    description: 'Why the account was suspended; `null` if it is active.',
  })
  suspensionReason!: string | null

  @Field(() => Money, { description: 'Its credits.' })
  credits!: bigint

  @Field(() => Money, {
    description: 'The amount reserved for requests and tasks, with what processes hold in advance.',
  })
  held!: bigint

  @Field(() => Boolean, { description: 'Whether the account is in the paying tier.' })
  isPaying!: boolean

  /** Its tier and own limits; no field of the graph. */
  standing!: Standing

  @Field(() => Int, { description: 'The number of API keys that are not revoked.' })
  keyCount!: number
}

/** Presents an account to operators. */
export function presentOverview(row: AccountRow): AccountOverview {
  const { creditsNanos: credits, heldNanos: held, keys: keyCount, allowances, ...rest } = row
  const { id: accountId, isPaying } = row
  const standing = { accountId, isPaying, ownAllowances: ownAllowancesOf(allowances) }
  return { ...rest, credits, held, keyCount, standing }
}

/** Reads an account as operators see it. Throws `not_found`. */
export async function overviewOf(context: SubgraphContext, accountId: string): Promise<AccountOverview> {
  const row = await readOverview(context, { accountId })
  if (!row) throw new Problem('not_found')
  return presentOverview(row)
}
