import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import {
  countUsage,
  listUsage,
  positionOfUsage,
  type UsageGroup as UsageGroupRow,
  usageOrder,
} from '../../domain/usage/list-usage.ts'
import { hasLatencies, readLatencies } from '../../domain/usage/read-latencies.ts'
import { lazily } from '../../platform/get-or-create.ts'
import { Model, modelNamed } from '../models/model-reference.ts'
import { requireCaller } from '../runtime/call.ts'
import { connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { limitToCaller } from '../runtime/key-scope.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentUsageGroup, UsageArgs, UsageGroup, usageQueryOf } from './usage-group.ts'

const UsageGroupConnection = connection(UsageGroup)

@Resolver(() => UsageGroup)
export class UsageResolver {
  @Query(() => UsageGroupConnection, {
    nullable: true,
    description:
      'Lists usage, grouped by day, API key, model, end user or metadata. A request counts when it settles. Usage is kept for two months, like the request log. Ordinary API keys see only their own usage.',
  })
  async usage(@Args(() => UsageArgs) args: UsageArgs, @Ctx() context: SubgraphContext) {
    const caller = requireCaller(context)
    const { accountId } = caller
    const { queries, logQueries, clock } = context
    const { filter: given, ...grouping } = usageQueryOf(args)
    const query = { accountId, filter: limitToCaller(caller, given), ...grouping }
    const order = usageOrder(args.orderBy?.field, args.orderBy?.direction)
    const slice = sliceOf(args, order)
    const rows = await logQueries.run(accountId, ({ sql }) =>
      listUsage({ sql, clock }, { ...query, slice, order }),
    )
    // One statement reads the latencies of all groups, if any is selected. They are in the main database.
    const readAll = lazily(() =>
      queries.run(accountId, ({ sql }) => readLatencies(sql, { query, groups: rows, nowMs: clock.now() })),
    )
    const readLatency = async (group: UsageGroupRow) =>
      hasLatencies(query) ? (await readAll())(group) : undefined
    return toConnection(slice, {
      rows,
      positionOf: group => positionOfUsage(group, order),
      present: group =>
        presentUsageGroup(
          group,
          lazily(() => readLatency(group)),
        ),
      countAll: () =>
        logQueries.run(accountId, ({ sql }) => countUsage({ sql, clock }, { ...query, max: maxPaged })),
    })
  }

  @FieldResolver(() => Model, {
    nullable: true,
    description: 'The requested model. `null` if the caller cannot see it.',
  })
  model(@Root() { modelName }: UsageGroup, @Ctx() context: SubgraphContext) {
    return modelNamed(context, modelName)
  }
}
