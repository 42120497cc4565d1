import { Arg, Args, ArgsType, Ctx, Field, ID, Query, Resolver } from 'type-graphql'
import type { Caller } from '../../domain/callers/caller.ts'
import {
  countRequests,
  listRequests,
  type RequestFilter,
  type StatusRange,
} from '../../domain/logs/list-requests.ts'
import { findRequest } from '../../domain/logs/request-log.ts'
import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { requireCaller } from '../runtime/call.ts'
import {
  ConnectionArgs,
  checkList,
  checkPageSize,
  connection,
  cursorOf,
  maxPaged,
  positionOf,
  toConnection,
} from '../runtime/lists.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'
import { presentRequestLog, RequestLog } from './request-log.ts'

/** Which requests are wanted. Several values of one argument mean any of them; arguments combine. */
@ArgsType()
class RequestArgs extends ConnectionArgs {
  @Field(() => [ID], { nullable: true })
  apiKeyId?: string[] | null

  @Field(() => [String], { nullable: true, description: 'Models as the requests named them.' })
  model?: string[] | null

  @Field(() => [String], { nullable: true, description: 'An HTTP status, `402`, or a class of them, `4xx`.' })
  status?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'Arrived at this time or after it.' })
  since?: Date | null

  @Field(() => DateTime, { nullable: true, description: 'Arrived before this time.' })
  until?: Date | null
}

/** Reads the arguments as the verb takes them. Throws `validation_failed`, naming the argument. */
export function filterOf({ apiKeyId, model, status, since, until }: RequestArgs): RequestFilter {
  return {
    keyIds: checkList(apiKeyId, 'apiKeyId')?.map(readKeyId),
    models: checkList(model, 'model'),
    statuses: checkList(status, 'status')?.map(readStatus),
    since: since ?? undefined,
    until: until ?? undefined,
  }
}

function readKeyId(text: string): string {
  if (isUuid(text)) return text.toLowerCase()
  throw new Problem('validation_failed', { param: 'apiKeyId', message: 'apiKeyId must be the id of a key.' })
}

function readStatus(text: string): StatusRange {
  const [, digit, rest] = /^([1-5])(xx|\d\d)$/.exec(text) ?? []
  if (digit === undefined || rest === undefined) {
    const message = 'status must be an HTTP status such as 402, or a class such as 4xx.'
    throw new Problem('validation_failed', { param: 'status', message })
  }
  const of = (lastDigits: string) => Number(digit + (rest === 'xx' ? lastDigits : rest))
  return { lowest: of('00'), highest: of('99') }
}

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
        history.read(accountId, from => countRequests(from, { accountId, filter, most: maxPaged })),
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

/** Limits an ordinary key to its own requests. Throws `forbidden` where the filter names another key. */
function withinReach(caller: Caller, filter: RequestFilter): RequestFilter {
  if (caller.kind !== 'key') return filter
  if (filter.keyIds?.every(keyId => mayReadKey(caller, keyId)) === false) throw new Problem('forbidden')
  return { ...filter, keyIds: [caller.keyId] }
}

/**
 * Sessions and provisioning keys read what every key of their account did, an ordinary key what it did
 * itself.
 */
export function mayReadKey(caller: Caller, keyId: string): boolean {
  return caller.kind !== 'key' || caller.keyId === keyId
}
