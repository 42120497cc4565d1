import { GraphQLError } from 'graphql'
import type { Log } from '../../platform/log.ts'
import { Problem } from '../../schema/errors.ts'
import { presented, presentGraphError } from '../../subgraphs/frame/execution/present-graph-error.ts'

export type MaskError = (error: unknown) => GraphQLError

/**
 * The last look at an error before a client sees it. What a subgraph presented passes; what the gateway itself says
 * about a request gets its code; anything else is masked and logged.
 */
export function maskError(log: Log): MaskError {
  return error => {
    if (error instanceof GraphQLError) return presentGraphError(error, log)
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'the gateway failed')
    return presented(new Problem('internal'))
  }
}
