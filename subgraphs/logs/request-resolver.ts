import { Arg, Args, Ctx, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql'
import { mayReadKey } from '../../domain/callers/caller.ts'
import { countByTime } from '../../domain/logs/count-by-time.ts'
import { countRequests, listRequests, positionOfRequest } from '../../domain/logs/list-requests.ts'
import { findRequest } from '../../domain/logs/request-log.ts'
import { Problem } from '../../schema/errors.ts'
import { Model, modelNamed } from '../models/model-reference.ts'
import { requireCaller, requireReader } from '../runtime/call.ts'
import { connection, maxPaged, sliceOf, toConnection } from '../runtime/connections.ts'
import { limitToCaller } from '../runtime/key-scope.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { HistogramArgs, histogramFilterOf, RequestHistogram } from './histogram.ts'
import { filterOf, orderOf, RequestArgs } from './request-lists.ts'
import { presentRequestLog, RequestAttempt, RequestLog } from './request-log.ts'

const RequestLogConnection = connection(RequestLog)

@Resolver(() => RequestLog)
export class RequestResolver {
  @Query(() => RequestLogConnection, {
    nullable: true,
    description:
      "Lists the account's requests. Ordinary API keys see only their own requests. If the search for a page takes more than 100 ms, the page ends early. Continue with its end cursor.",
  })
  async requests(@Args(() => RequestArgs) args: RequestArgs, @Ctx() context: SubgraphContext) {
    const { accountId, quotaAccountId, caller } = requireReader(context, args.accountId)
    const { logQueries, clock } = context
    const filter = limitToCaller(caller, filterOf(args.filter))
    const order = orderOf(args.orderBy)
    const slice = sliceOf(args, order)
    const { requests, endedAt } = await logQueries.run(quotaAccountId, ({ sql }) =>
      listRequests({ sql, clock }, { accountId, filter, slice, order }),
    )
    return toConnection(slice, {
      rows: requests,
      endedAt,
      positionOf: request => positionOfRequest(request, order),
      present: presentRequestLog,
      countAll: () =>
        logQueries.run(quotaAccountId, from => countRequests(from, { accountId, filter, max: maxPaged })),
    })
  }

  @Query(() => RequestHistogram, {
    nullable: true,
    description:
      'Counts requests by time of arrival, in slots of a minute to an hour. Ordinary API keys see only their own requests. `usage` counts them by day.',
  })
  requestHistogram(@Args(() => HistogramArgs) args: HistogramArgs, @Ctx() context: SubgraphContext) {
    const { accountId, quotaAccountId, caller } = requireReader(context, args.accountId)
    const filter = limitToCaller(caller, histogramFilterOf(args, new Date(context.clock.now())))
    return context.logQueries.run(quotaAccountId, ({ sql }) =>
      countByTime(sql, { accountId, filter, length: args.slot }),
    )
  }

  @Query(() => RequestLog, { nullable: true, description: 'Returns a request.' })
  async request(
    @Arg('id', () => ID, { description: "The request's ID, as in the response header `x-request-id`." })
    id: string,
    @Ctx() context: SubgraphContext,
  ): Promise<RequestLog> {
    const caller = requireCaller(context)
    const log = await findRequest(context, { accountId: caller.accountId, requestId: id })
    if (!log || !mayReadKey(caller, log.apiKeyId)) {
      throw new Problem('not_found', { message: 'The log contains no request with this ID.' })
    }
    return presentRequestLog(log)
  }

  @FieldResolver(() => Model, {
    nullable: true,
    description: 'The requested model. `null` if the caller cannot see it.',
  })
  model(@Root() { modelName }: RequestLog, @Ctx() context: SubgraphContext) {
    return modelNamed(context, modelName)
  }

  @FieldResolver(() => Model, {
    nullable: true,
    description:
      'The fallback model that answered. `null` if no fallback was used, or if the caller cannot see the model.',
  })
  answeredBy(@Root() { answeredByName }: RequestLog, @Ctx() context: SubgraphContext) {
    return modelNamed(context, answeredByName)
  }
}

@Resolver(() => RequestAttempt)
export class AttemptResolver {
  @FieldResolver(() => Model, {
    nullable: true,
    description: 'The attempted model. `null` if the caller cannot see it.',
  })
  model(@Root() { modelName }: RequestAttempt, @Ctx() context: SubgraphContext) {
    return modelNamed(context, modelName)
  }
}
