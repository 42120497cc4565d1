import {
  Arg,
  Ctx,
  Directive,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql'
import { type Period, periods, type Usage as UsageRow, usagePerKey } from '../../domain/logs/usage-per-key.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import { Count, Dollars } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { mayReadKey } from './request-resolver.ts'

const UsagePeriod = {
  day: 'day',
  week: 'week',
  month: 'month',
  retained: 'retained',
} as const satisfies { [Name in Period]: Name }

registerEnumType(UsagePeriod, {
  name: 'UsagePeriod',
  description: 'What usage is added up over. Days, weeks and months are those of UTC.',
  valuesConfig: {
    day: { description: 'Today.' },
    week: { description: 'This week, from Monday.' },
    month: { description: 'This calendar month.' },
    retained: { description: 'All that the log still holds: two months.' },
  },
})

@ObjectType({ description: 'What requests came to in a period.' })
export class Usage {
  @Field(() => Count, {
    description: 'All that were logged: failed ones, and those on own credentials, as well.',
  })
  requests!: number

  @Field(() => Dollars)
  spent!: bigint

  @Field(() => Count)
  promptTokens!: number

  @Field(() => Count)
  completionTokens!: number
}

export function presentUsage({ spentNanos, requests, promptTokens, completionTokens }: UsageRow): Usage {
  return { spent: spentNanos, requests, promptTokens, completionTokens }
}

/** The API key of subgraph `keys`: what its requests came to is added here. */
@ObjectType()
@Directive('@key(fields: "id")')
export class ApiKey {
  @Field(() => ID)
  id!: string
}

const usageOf = new Map(periods.map(period => [period, batchedUsage(period)]))

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @FieldResolver(() => Usage, {
    nullable: true,
    description: "What the key's requests came to; this month unless told.",
  })
  async usage(
    @Root() { id }: ApiKey,
    @Arg('period', () => UsagePeriod, { defaultValue: UsagePeriod.month }) period: Period,
    @Ctx() context: SubgraphContext,
  ): Promise<Usage> {
    if (!mayReadKey(requireCaller(context), id)) throw new Problem('forbidden')
    return presentUsage((await usageOf.get(period)!(context, id))!)
  }
}

/** One statement for all keys of a fetch. */
function batchedUsage(period: Period) {
  return batched({
    findAll(context, keyIds) {
      const { accountId } = requireCaller(context)
      const { clock } = context
      return context.history.read(accountId, ({ sql }) =>
        usagePerKey({ sql, clock }, { accountId, keyIds, period }),
      )
    },
    idOf: ({ keyId }) => keyId,
  })
}
