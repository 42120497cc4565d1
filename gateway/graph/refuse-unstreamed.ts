import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { Problem } from '../../schema/errors.ts'
import { presented } from '../../subgraphs/runtime/present-error.ts'

/**
 * Refuses a subscription over HTTP that the client cannot read as a stream, before it starts: the runtime would
 * start it, answer 406, and never end it.
 */
export function refuseUnstreamed(): GatewayPlugin {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      const request: Request | undefined = args.contextValue.request
      const accept = request?.headers.get('accept')
      const overWebSocket = args.contextValue.connectionParams !== undefined
      if (overWebSocket || accept?.includes('text/event-stream')) return
      const message = 'Subscribe with `Accept: text/event-stream`, or over WebSocket.'
      const problem = new Problem('invalid_request', { message })
      setResultAndStopExecution({ errors: [presented(problem)] })
    },
  }
}
