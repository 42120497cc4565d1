import { mayReadKey } from '../../domain/callers/caller.ts'
import { findRequests } from '../../domain/logs/request-log.ts'
import { batched, type Subgraph } from '../runtime/subgraph.ts'
import { presentRequestLog } from './request-log.ts'
import { AttemptResolver, RequestResolver } from './request-resolver.ts'

const requestById = batched({
  async findAll(context, requestIds) {
    const { caller } = context
    if (!caller) return []
    const requests = await findRequests(context, { accountId: caller.accountId, requestIds })
    return requests.filter(({ apiKeyId }) => mayReadKey(caller, apiKeyId))
  },
  idOf: ({ id }) => id,
})

/** The request log. */
export const subgraph: Subgraph = {
  name: 'logs',
  resolvers: [RequestResolver, AttemptResolver],
  references: {
    RequestLog: async (context, id) => {
      const request = await requestById(context, id)
      return request && presentRequestLog(request)
    },
  },
}
