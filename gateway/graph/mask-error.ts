import { GraphQLError } from 'graphql'
import type { Log } from '../../platform/log.ts'
import { Problem } from '../../schema/errors.ts'
import { presented, presentGraphError } from '../../subgraphs/runtime/present-error.ts'

export type MaskError = (error: unknown) => GraphQLError

/**
 * The last look at an error before a client sees it. What a subgraph presented passes; what the gateway itself says
 * about a request gets its code; anything else is masked and logged.
 */
export function maskError(log: Log): MaskError {
  return error => {
    if (error instanceof GraphQLError) return withStatus(presentGraphError(error, log), error)
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'the gateway failed')
    return presented(new Problem('internal'))
  }
}

/** Keeps the HTTP status and headers that the runtime gives an error; they are not shown in it. */
function withStatus(presented: GraphQLError, { extensions }: GraphQLError): GraphQLError {
  if (extensions.http !== undefined) presented.extensions.http = extensions.http
  return presented
}
