import { Arg, Args, Ctx, ID, Query, Resolver } from 'type-graphql'
import type { Caller } from '../../domain/callers/caller.ts'
import { countRequests, listRequests, type RequestFilter } from '../../domain/logs/list-requests.ts'
import { findRequest } from '../../domain/logs/request-log.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/require-caller.ts'
import type { SubgraphContext } from '../runtime/subgraph-context.ts'
import { checkPageSize, connection, toConnection } from '../runtime/types/connection.ts'
import { cursorOf, positionOf } from '../runtime/types/cursor.ts'
import { mostPaged } from '../runtime/types/page.ts'
import { mayReadKey } from './may-read-key.ts'
import { filterOf, RequestArgs } from './request-args.ts'
import { presentRequestLog, RequestLog } from './request-log.ts'

const RequestLogConnection = connection(RequestLog)

@Resolver(() => RequestLog)
export class RequestResolver {
  @Query(() => RequestLogConnection, {
    description: 'The requests of the account, newest first. An ordinary key sees its own.',
  })
  async requests(@Args(() => RequestArgs) args: RequestArgs, @Ctx() context: SubgraphContext) {
    const caller = requireCaller(context)
    const { accountId } = caller
    const { history } = context
    const filter = withinReach(caller, filterOf(args))
    const first = checkPageSize(args.first, 'first')
    const after = positionOf(args.after)
    return toConnection({
      rows: await history.read(accountId, from =>
        listRequests(from, { accountId, filter, limit: first + 1, after }),
      ),
      first,
      cursorOf,
      present: presentRequestLog,
      countAll: () =>
        history.read(accountId, from => countRequests(from, { accountId, filter, most: mostPaged })),
    })
  }

  @Query(() => RequestLog, { nullable: true, description: 'One request with all its figures.' })
  async request(@Arg('id', () => ID) id: string, @Ctx() context: SubgraphContext): Promise<RequestLog> {
    const caller = requireCaller(context)
    const log = await findRequest(context, { accountId: caller.accountId, requestId: id })
    if (!log || !mayReadKey(caller, log.apiKeyId)) {
      throw new Problem('not_found', { message: 'The log holds no such request.' })
    }
    return presentRequestLog(log)
  }
}

/** An ordinary key is shown its own requests. Throws `forbidden` when it asks for those of another. */
function withinReach(caller: Caller, filter: RequestFilter): RequestFilter {
  if (caller.kind !== 'key') return filter
  if (filter.keyIds?.every(keyId => mayReadKey(caller, keyId)) === false) throw new Problem('forbidden')
  return { ...filter, keyIds: [caller.keyId] }
}
