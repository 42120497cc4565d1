import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  getOperationAST,
} from 'graphql'
import type { BuiltSubgraph } from './build-subgraph.ts'
import type { Call } from './call.ts'
import { checkVariables } from './check-variables.ts'
import { presentGraphError, presentOtherFaults } from './present-error.ts'
import { openSubgraphContext, type SubgraphServices } from './services.ts'

/** A GraphQL request to one subgraph. */
export interface SubgraphRequest {
  document: DocumentNode
  variables?: Readonly<Record<string, unknown>> | undefined
  operationName?: string | undefined
}

/**
 * A request to execute and its call. `onEvent` is called with each event of a subscription before its result is
 * produced.
 */
export interface Execution {
  subgraph: BuiltSubgraph
  call: Call
  request: SubgraphRequest
  onEvent?: (event: unknown) => void
}

/**
 * Executes a request on a subgraph in this process. Each fetch and each event of a subscription has its own context,
 * because objects loaded for one event may be out of date at the next.
 */
export async function executeInProcess(
  services: SubgraphServices,
  { subgraph, call, request, onEvent }: Execution,
): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const { schema } = subgraph
  const { document, operationName } = request
  const variableValues = request.variables
  const faults = checkVariables(schema, request)
  if (faults.length > 0) return { errors: faults }

  const args = () => ({
    schema,
    document,
    operationName,
    variableValues,
    contextValue: openSubgraphContext(services, call),
  })
  const isSubscription = getOperationAST(document, operationName)?.operation === 'subscription'
  if (!isSubscription) return answer(services, args())
  const events = await createSourceEventStream(args())
  if (!(Symbol.asyncIterator in events)) return present(services, events)
  return mapEvents(events, event => {
    onEvent?.(event)
    return answer(services, { ...args(), rootValue: event })
  })
}

async function answer(services: SubgraphServices, args: ExecutionArgs): Promise<ExecutionResult> {
  return present(services, await execute(args))
}

function present({ context }: SubgraphServices, result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result
  const errors = result.errors.flatMap(error => [
    presentGraphError(error, context.log),
    ...presentOtherFaults(error),
  ])
  return { ...result, errors }
}

/**
 * Maps a stream. It is not an async generator, because the generator's `return()` would wait for the next event before
 * it reached the source.
 */
function mapEvents<Event, Result>(
  source: AsyncIterable<Event>,
  map: (event: Event) => Promise<Result>,
): AsyncIterableIterator<Result> {
  const events = source[Symbol.asyncIterator]()
  const mapped = async (step: IteratorResult<Event>): Promise<IteratorResult<Result>> =>
    step.done ? { done: true, value: undefined } : { done: false, value: await map(step.value) }
  return {
    next: async () => mapped(await events.next()),
    return: async () => {
      await events.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
