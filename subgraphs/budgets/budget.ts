import { Directive, Field, ID, InputType, ObjectType } from 'type-graphql'
import type { BudgetRecord } from '../../domain/budgets/budget-records.ts'
import type { BudgetAction as Action } from '../../domain/budgets/budget-settings.ts'
import type { BudgetSubject } from '../../domain/ledger/hold.ts'
import type { ResetInterval } from '../../schema/entities/keys.ts'
import { entityReference } from '../runtime/entity-reference.ts'
import { graphEnum } from '../runtime/enums.ts'
import { DateTime, Money } from '../runtime/scalars.ts'
import { CreditResetInterval } from '../runtime/shared-enums.ts'

const ApiKey = entityReference('ApiKey')
const User = entityReference('User')

const BudgetKind = graphEnum<BudgetSubject['kind']>('BudgetKind', {
  description: 'Which requests of the account a budget counts.',
  values: {
    account: 'All requests.',
    member: 'Requests with the API keys that a member owns.',
    api_key: 'Requests with one API key.',
    tag: 'Requests with a tag.',
    end_user: 'Requests of an end user.',
  },
})

const BudgetAction = graphEnum<Action>('BudgetAction', {
  description: 'What happens at the limit of a budget.',
  values: {
    refuse: 'Requests that exceed the limit are refused. The account is notified at 80 and at 100 percent.',
    warn: 'No request is refused. The account is notified at 80 and at 100 percent.',
  },
})

@ObjectType({ description: 'A tag: a pair of the `metadata` of requests.' })
export class BudgetTag {
  @Field(() => String, { description: 'The key of the pair.' })
  key!: string

  @Field(() => String, { description: 'The value of the pair.' })
  value!: string
}

@ObjectType({
  description:
    'A limit on the amount that requests can spend: all requests of the account, or the requests of a member, an API key, a tag or an end user.',
})
@Directive('@key(fields: "id")')
export class Budget {
  @Field(() => ID, { description: "The budget's ID." })
  id!: string

  @Field(() => BudgetKind, { description: 'Which requests count.' })
  kind!: BudgetSubject['kind']

  @Field(() => User, {
    nullable: true,
    description: 'The member whose requests count, or `null`.',
  })
  member!: { id: string } | null

  @Field(() => ApiKey, {
    nullable: true,
    description: 'The API key whose requests count, or `null`.',
  })
  apiKey!: { id: string } | null

  @Field(() => BudgetTag, { nullable: true, description: 'The tag whose requests count, or `null`.' })
  tag!: BudgetTag | null

  @Field(() => String, {
    nullable: true,
    description: 'The end user whose requests count, or `null`.',
  })
  endUser!: string | null

  @Field(() => Money, {
    description: 'The maximum amount that can be spent per reset interval, in US dollars.',
  })
  limit!: bigint

  @Field(() => BudgetAction, { description: 'What happens at the limit.' })
  action!: Action

  @Field(() => CreditResetInterval, { description: 'How often the spent amount is reset to zero.' })
  resetInterval!: ResetInterval

  @Field(() => Money, {
    description:
      'The amount spent in the current period, in US dollars. Excludes amounts reserved for requests in progress.',
  })
  spent!: bigint

  @Field(() => Money, {
    description: 'The amount reserved for requests and tasks in progress, in US dollars.',
  })
  held!: bigint

  @Field(() => DateTime, {
    description: 'When the current period started, at the earliest when the budget was created.',
  })
  periodStart!: Date

  @Field(() => DateTime, { description: 'When the budget was created. Earlier requests do not count.' })
  createdAt!: Date
}

export function presentBudget({ kind, key, value, ...record }: BudgetRecord): Budget {
  const { id, limitNanos, action, resetInterval, spentNanos, heldNanos, periodStart, createdAt } = record
  return Object.assign(new Budget(), {
    id,
    kind,
    member: kind === 'member' ? { id: value } : null,
    apiKey: kind === 'api_key' ? { id: value } : null,
    tag: kind === 'tag' ? Object.assign(new BudgetTag(), { key, value }) : null,
    endUser: kind === 'end_user' ? value : null,
    limit: limitNanos,
    action,
    resetInterval,
    spent: spentNanos,
    held: heldNanos,
    periodStart,
    createdAt,
  })
}

@InputType({ description: 'A tag: a pair of the `metadata` of requests.' })
class BudgetTagInput {
  @Field(() => String, { description: 'The key of the pair, 1 to 64 characters.' })
  key!: string

  @Field(() => String, { description: 'The value of the pair, at most 512 characters.' })
  value!: string
}

@InputType({
  description:
    'The settings of a new budget. Set exactly one of `account`, `memberId`, `apiKeyId`, `tag` and `endUser`.',
})
export class CreateBudgetInput {
  @Field(() => Boolean, { nullable: true, description: 'Whether all requests of the account count.' })
  account?: boolean | null

  @Field(() => ID, { nullable: true, description: 'The member whose requests count: the ID of the user.' })
  memberId?: string | null

  @Field(() => ID, { nullable: true, description: 'The ID of the API key whose requests count.' })
  apiKeyId?: string | null

  @Field(() => BudgetTagInput, { nullable: true, description: 'The tag whose requests count.' })
  tag?: BudgetTagInput | null

  @Field(() => String, {
    nullable: true,
    description: 'The end user whose requests count, 1 to 512 characters.',
  })
  endUser?: string | null

  @Field(() => Money, {
    description:
      'The maximum amount that can be spent per reset interval, in US dollars, 0 to 1,000,000,000. With 0, every request that costs something is refused.',
  })
  limit!: bigint

  @Field(() => BudgetAction, {
    nullable: true,
    description: 'What happens at the limit. `null` means that requests are refused.',
  })
  action?: Action | null

  @Field(() => CreditResetInterval, {
    nullable: true,
    description: 'How often the spent amount is reset to zero. `null` means never.',
  })
  resetInterval?: ResetInterval | null
}

@ObjectType({ description: 'The result of creating a budget.' })
export class CreateBudgetPayload {
  @Field(() => Budget, { description: 'The new budget.' })
  budget!: Budget
}

@InputType({
  description:
    'The budget to update and its new settings. Settings that are left out or `null` keep their value.',
})
export class UpdateBudgetInput {
  @Field(() => ID, { description: "The budget's ID." })
  id!: string

  @Field(() => Money, {
    nullable: true,
    description:
      'The maximum amount that can be spent per reset interval, in US dollars, 0 to 1,000,000,000.',
  })
  limit?: bigint | null

  @Field(() => BudgetAction, { nullable: true, description: 'What happens at the limit.' })
  action?: Action | null

  @Field(() => CreditResetInterval, {
    nullable: true,
    description:
      'How often the spent amount is reset to zero. After a change, the amount includes what was already spent in the new interval.',
  })
  resetInterval?: ResetInterval | null
}

@ObjectType({ description: 'The result of updating a budget.' })
export class UpdateBudgetPayload {
  @Field(() => Budget, { description: 'The updated budget.' })
  budget!: Budget
}

@InputType({ description: 'The budget to delete.' })
export class DeleteBudgetInput {
  @Field(() => ID, { description: "The budget's ID." })
  id!: string
}

@ObjectType({ description: 'The result of deleting a budget.' })
export class DeleteBudgetPayload {
  @Field(() => ID, { description: 'The ID of the deleted budget.' })
  deletedBudgetId!: string
}
