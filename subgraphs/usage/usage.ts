import { Arg, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql'
import { mayReadKey } from '../../domain/callers/caller.ts'
import {
  type Period,
  periods,
  type Usage as UsageRow,
  usagePerKey,
} from '../../domain/usage/usage-per-key.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import { extendedEntity } from '../runtime/entity-reference.ts'
import { graphEnum } from '../runtime/enums.ts'
import { Count, Money } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { batched } from '../runtime/subgraph.ts'

const UsagePeriod = graphEnum<Period>('UsagePeriod', {
  description: 'The period over which usage is added up. Days, weeks and months are in UTC.',
  values: {
    day: 'Today.',
    week: 'This week, from Monday.',
    month: 'This calendar month.',
    retained: 'The whole retention of the request log: two months.',
  },
})

@ObjectType({ description: 'The usage of several requests.' })
export class Usage {
  @Field(() => Count, {
    description:
      "The number of logged requests, including failed requests and requests that used the account's own credentials.",
  })
  requests!: number

  @Field(() => Count, {
    description:
      'The number of requests that failed with an error. Requests whose client disconnected do not count.',
  })
  failedRequests!: number

  @Field(() => Money, { description: 'The charged amount, in US dollars.' })
  spent!: bigint

  @Field(() => Count, { description: 'The number of prompt tokens, including cached tokens.' })
  promptTokens!: number

  @Field(() => Count, { description: 'The number of prompt tokens that were read from a cache.' })
  cachedTokens!: number

  @Field(() => Count, { description: 'The number of prompt tokens that were written to a cache.' })
  cacheCreationTokens!: number

  @Field(() => Count, { description: 'The number of completion tokens, including reasoning tokens.' })
  completionTokens!: number

  @Field(() => Count, { description: 'The number of completion tokens that were used for reasoning.' })
  reasoningTokens!: number
}

function presentUsage({ keyId: _, spentNanos, ...rest }: UsageRow): Usage {
  return { ...rest, spent: spentNanos }
}

/** The API key of the subgraph `keys`. This subgraph adds its usage. */
export const ApiKey = extendedEntity('ApiKey')

const usageOf = new Map(periods.map(period => [period, batchedUsage(period)]))

@Resolver(() => ApiKey)
export class KeyUsageResolver {
  @FieldResolver(() => Usage, {
    nullable: true,
    description: 'The usage of the key.',
  })
  async usage(
    @Root() { id }: { id: string },
    @Arg('period', () => UsagePeriod, {
      defaultValue: 'month',
      description: 'The period. Defaults to the current month.',
    })
    period: Period,
    @Ctx() context: SubgraphContext,
  ): Promise<Usage> {
    if (!mayReadKey(requireCaller(context), id)) throw new Problem('forbidden')
    return presentUsage((await usageOf.get(period)!(context, id))!)
  }
}

/** Returns a loader that reads the usage of all keys of a fetch with one statement. */
function batchedUsage(period: Period) {
  return batched({
    findAll(context, keyIds) {
      const { accountId } = requireCaller(context)
      const { clock } = context
      return context.logQueries.run(accountId, ({ sql }) =>
        usagePerKey({ sql, clock }, { accountId, keyIds, period }),
      )
    },
    idOf: ({ keyId }) => keyId,
  })
}
