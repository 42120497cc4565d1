import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import { type Period, periods, usagePerKey } from '../../domain/logs/usage-per-key.ts'
import { Problem } from '../../schema/errors.ts'
import { batched } from '../runtime/batched.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { ApiKey } from './api-key.ts'
import { mayReadKey } from './may-read-key.ts'
import { presentUsage, Usage } from './usage.ts'
import { UsagePeriod } from './usage-period.ts'

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
