import { createGatewayRuntime, type GatewayRuntime } from '@graphql-hive/gateway-runtime'
import { unifiedGraphHandler } from '@graphql-hive/router-runtime'
import type { BuiltSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { executeInProcess, type SubgraphRequest } from '../../subgraphs/runtime/execute-in-process.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import { boundOperations } from './bound-operations.ts'
import { openDocuments } from './documents/documents.ts'
import { keepDocuments } from './documents/keep-documents.ts'
import { callOf, type GraphContext } from './graph-context.ts'
import { maskError } from './mask-error.ts'
import { presentValidation } from './present-validation.ts'
import { refuseUnstreamed } from './refuse-unstreamed.ts'
import { type ExecutorOptions, type ExecutorResult, remoteExecutor } from './remote-executor.ts'
import { validateText } from './validate-text.ts'
import { validateVariables } from './validate-variables.ts'

/** The one graph. */
export type Graph = GatewayRuntime<GraphContext>

/** Where the graph is served. */
export const graphPath = '/graphql'

/** What the documents that are kept may weigh in a process, in bytes. */
const maxKeptBytes = 32 * 1024 * 1024

/**
 * Opens the graph over a supergraph: Hive's runtime with the Rust planner. The subgraphs given run in this process,
 * those named in `subgraphUrls` elsewhere.
 */
export function openGraph(
  services: SubgraphServices,
  { supergraph, subgraphs }: { supergraph: string; subgraphs: readonly BuiltSubgraph[] },
): Graph {
  const { config, log } = services.context
  const mask = maskError(log)
  const documents = openDocuments({
    maxTextBytes: config.graphMaxBytes,
    maxTokens: config.graphMaxTokens,
    maxKeptBytes,
  })
  const own = new Map(subgraphs.map(subgraph => [subgraph.name, subgraph]))

  return createGatewayRuntime<GraphContext>({
    supergraph,
    unifiedGraphHandler,
    transports: { http: { getSubgraphExecutor } },
    graphqlEndpoint: graphPath,
    plugins: () => [
      keepDocuments(documents),
      ...boundOperations(config),
      validateText(),
      presentValidation(mask, { suggests: config.graphIntrospection }),
      refuseUnstreamed(),
      validateVariables(),
    ],
    maskedErrors: { maskError: mask },
    disableIntrospection: { disableIf: () => !config.graphIntrospection },
    subgraphErrors: false,
    batching: false,
    multipart: false,
    cors: false,
    graphiql: false,
    landingPage: false,
    requestId: false,
    logging: false,
  })

  function getSubgraphExecutor(options: ExecutorOptions) {
    const name = options.subgraphName
    const url = config.subgraphUrls.get(name)
    if (url !== undefined) return remoteExecutor(options, { url, config })
    const subgraph = own.get(name)
    if (!subgraph) throw new Error(`The supergraph names ${name}, which runs nowhere`)
    return (request: SubgraphRequest & { context?: unknown }): Promise<ExecutorResult> =>
      executeInProcess(services, { subgraph, request, call: callOf(request.context) })
  }
}
