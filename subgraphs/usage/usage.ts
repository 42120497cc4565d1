import { Arg, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql'
import {
  type Period,
  periods,
  type Usage as UsageRow,
  usagePerKey,
} from '../../domain/usage/usage-per-key.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import { graphEnum } from '../runtime/enums.ts'
import { mayReadKey } from '../runtime/key-scope.ts'
import { Count, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'
import { ApiKey } from './api-key.ts'

const UsagePeriod = graphEnum<Period>('UsagePeriod', {
  description: 'What usage is added up over. Days, weeks and months are those of UTC.',
  values: {
    day: 'Today.',
    week: 'This week, from Monday.',
    month: 'This calendar month.',
    retained: 'All that the log still holds: two months.',
  },
})

@ObjectType({ description: 'What requests came to in a period.' })
export class Usage {
  @Field(() => Count, {
    description: 'All that were logged: failed ones, and those on own credentials, as well.',
  })
  requests!: number

  @Field(() => Count, { description: 'Of them, answered with an error. A client that left is none.' })
  failedRequests!: number

  @Field(() => Money, { description: 'What was charged.' })
  spent!: bigint

  @Field(() => Count, { description: 'Tokens of the prompts.' })
  promptTokens!: number

  @Field(() => Count, { description: 'Of the prompts, read from a cache.' })
  cachedTokens!: number

  @Field(() => Count, { description: 'Of the prompts, written to a cache.' })
  cacheCreationTokens!: number

  @Field(() => Count, { description: 'Tokens of the answers.' })
  completionTokens!: number

  @Field(() => Count, { description: 'Of the answers, spent on thinking.' })
  reasoningTokens!: number
}

function presentUsage({ keyId: _, spentNanos, ...rest }: UsageRow): Usage {
  return { ...rest, spent: spentNanos }
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
    @Arg('period', () => UsagePeriod, { defaultValue: 'month', description: 'Over what it is added up.' })
    period: Period,
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
      return context.queries.run(accountId, ({ sql }) =>
        usagePerKey({ sql, clock }, { accountId, keyIds, period }),
      )
    },
    idOf: ({ keyId }) => keyId,
  })
}
