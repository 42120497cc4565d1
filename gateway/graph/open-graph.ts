import { createGatewayRuntime, type GatewayRuntime } from '@graphql-hive/gateway-runtime'
import { unifiedGraphHandler } from '@graphql-hive/router-runtime'
import { GraphQLError } from 'graphql'
import type { Log } from '../../platform/log.ts'
import { Problem } from '../../schema/errors.ts'
import type { BuiltSubgraph } from '../../subgraphs/runtime/build-subgraph.ts'
import { executeInProcess } from '../../subgraphs/runtime/execute-in-process.ts'
import { presented, presentGraphError } from '../../subgraphs/runtime/present-error.ts'
import type { SubgraphServices } from '../../subgraphs/runtime/services.ts'
import { boundSubscriptions, type TokenWatch } from './bound-subscriptions.ts'
import type { ControlLimits } from './control-limits.ts'
import { keepDocuments, openDocuments } from './documents.ts'
import {
  boundOperations,
  presentValidation,
  refuseUnstreamed,
  validateLiterals,
  validateVariables,
} from './operation-rules.ts'
import { placeErrors } from './place-errors.ts'
import { contextOf, type ExecutorOptions, type GraphContext, remoteExecutor } from './reach-subgraphs.ts'
import { openSharedFetches } from './share-fetches.ts'
import { openSharedSubscriptions } from './share-subscriptions.ts'
import { withoutTypes } from './subgraph-names.ts'
import { traceFetch, traceOperations } from './trace-operations.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** The federated graph. */
export type Graph = GatewayRuntime<GraphContext>

/** The path of the graph. */
export const graphPath = '/graphql'

/** Maximum length of a document, in bytes. The whole body with its variables may have one megabyte. */
const maxTextBytes = 65_536

/** Maximum memory for cached documents in a process, in bytes. */
const maxKeptBytes = 32 * 1024 * 1024

/**
 * Opens the graph of a supergraph with Hive's runtime and its Rust query planner. The given `subgraphs` run in this
 * process; the subgraphs in `subgraphUrls` run elsewhere.
 */
export function openGraph(
  services: SubgraphServices,
  {
    supergraph,
    subgraphs,
    trusted,
    tokens,
    limits,
  }: {
    supergraph: string
    subgraphs: readonly BuiltSubgraph[]
    trusted: TrustedDocuments
    tokens: TokenWatch
    limits: Pick<ControlLimits, 'graphMaxDepth' | 'graphMaxTokens'>
  },
): Graph {
  const { config, log, tracing } = services.context
  const mask = maskError(log)
  const documents = openDocuments({
    maxTextBytes,
    maxTokens: limits.graphMaxTokens,
    maxKeptBytes,
    allows: trusted.allows,
  })
  const share = openSharedFetches()
  const shareSubscription = openSharedSubscriptions()
  const local = new Map(
    subgraphs.filter(({ name }) => !config.subgraphUrls.has(name)).map(subgraph => [subgraph.name, subgraph]),
  )

  return createGatewayRuntime<GraphContext>({
    supergraph,
    async unifiedGraphHandler(options) {
      const given = { ...options, onSubgraphExecute: executeLocallyOr(options.onSubgraphExecute) }
      const handled = await unifiedGraphHandler(given)
      // At the first fetch, the handler builds the schema of each subgraph, which takes half a second and which only
      // fetches from remote subgraphs need.
      if (config.subgraphUrls.size === 0) given.unifiedGraph = withoutTypes(supergraph)
      return handled
    },
    transports: { http: { getSubgraphExecutor } },
    graphqlEndpoint: graphPath,
    plugins: () => [
      keepDocuments(documents),
      ...boundOperations(config, limits),
      validateLiterals(),
      presentValidation(mask, { suggests: config.graphIntrospection }),
      refuseUnstreamed(),
      validateVariables(),
      boundSubscriptions(tokens, services.context),
      ...(tracing ? [traceOperations(tracing)] : []),
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

  /** Executes fetches of local subgraphs directly, without the runtime's network transport. */
  function executeLocallyOr(executeRemotely: ExecuteFetch): ExecuteFetch {
    return (name, request) => {
      const subgraph = local.get(name)
      const context = contextOf(request.context)
      if (!subgraph)
        return traceFetch(context, name, async () => executeRemotely(name, request)).then(result =>
          placeErrors(request, result, mask),
        )
      const { document, operationName, variables } = request
      return share({ subgraph: name, document, operationName, variables, context }, () =>
        traceFetch(context, name, () =>
          executeInProcess(services, { subgraph, request, call: context.call }),
        ),
      )
    }
  }

  function getSubgraphExecutor(options: ExecutorOptions) {
    const name = options.subgraphName
    const url = config.subgraphUrls.get(name)
    if (url === undefined) throw new Error(`The supergraph has the subgraph ${name}, which runs nowhere`)
    return remoteExecutor(options, { url, config, share, shareSubscription })
  }
}

/** The runtime's function for a fetch from a subgraph. */
type ExecuteFetch = Parameters<typeof unifiedGraphHandler>[0]['onSubgraphExecute']

/**
 * Returns the function that converts errors for clients. Errors of subgraphs pass unchanged. Errors of the gateway
 * about a request get their code. Other errors are masked and logged.
 */
function maskError(log: Log): (error: unknown) => GraphQLError {
  return error => {
    if (error instanceof GraphQLError) return withStatus(presentGraphError(error, log), error)
    log.error({ error: error instanceof Error ? error.stack : String(error) }, 'the gateway failed')
    return presented(new Problem('internal'))
  }
}

/**
 * Copies the HTTP status and headers that the runtime added to an error. The runtime removes them before it responds.
 */
function withStatus(error: GraphQLError, { extensions }: GraphQLError): GraphQLError {
  if (extensions.http !== undefined) error.extensions.http = extensions.http
  return error
}
