import type { GatewayPlugin } from '@graphql-hive/gateway-runtime'
import { type ExecutionArgs, getOperationAST } from 'graphql'
import type { Span, Tracing } from '../../platform/tracing/tracing.ts'
import { contextOf, type GraphContext } from './reach-subgraphs.ts'

/** Maximum length of the client's name of an operation in a trace, in characters. */
const maxNameLength = 100

/** Traces each operation. The span of a subscription ends when the subscription has begun. */
export function traceOperations(tracing: Tracing): GatewayPlugin<GraphContext> {
  return {
    onExecute({ args, extendContext }) {
      const span = begin(tracing, args)
      extendContext({ span })
      return { onExecuteDone: ({ result }) => end(span, result) }
    },
    onSubscribe({ args, extendContext }) {
      const span = begin(tracing, args)
      extendContext({ span })
      return { onSubscribeResult: ({ result }) => end(span, result) }
    },
  }
}

function begin(tracing: Tracing, { document, operationName, contextValue }: ExecutionArgs): Span {
  const { call } = contextOf(contextValue)
  const operation = getOperationAST(document, operationName)
  return tracing.start('graphql operation', {
    continues: call.traceparent,
    attributes: {
      'rubicon.request_id': call.requestId,
      'graphql.operation.type': operation?.operation,
      'graphql.operation.name': operation?.name?.value.slice(0, maxNameLength),
    },
  })
}

/** Ends a span with the result of its operation or fetch. */
export function end(span: Span, result: unknown): void {
  const hasErrors =
    typeof result === 'object' && result !== null && 'errors' in result && Array.isArray(result.errors)
  span.end(hasErrors ? { error: 'graphql_errors' } : undefined)
}

/** Runs a fetch from a subgraph in a span of its operation, if that is traced. */
export async function traceFetch<Result>(
  { span, call }: GraphContext,
  subgraph: string,
  fetch: () => Promise<Result>,
): Promise<Result> {
  const part = span?.child('subgraph fetch', {
    attributes: { 'rubicon.subgraph': subgraph, 'rubicon.request_id': call.requestId },
  })
  if (!part) return fetch()
  try {
    const result = await fetch()
    end(part, result)
    return result
  } catch (error) {
    part.end({ error: 'failed' })
    throw error
  }
}
