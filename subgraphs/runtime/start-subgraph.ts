import type { ServerResponse } from 'node:http'
import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled'
import { koaMiddleware } from '@as-integrations/koa'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import Koa from 'koa'
import type { Config } from '../../platform/config/read-config.ts'
import { answerHealth } from '../../platform/http/health.ts'
import { openHealth } from '../../platform/http/health-thread.ts'
import { listen } from '../../platform/http/listen.ts'
import { openServer } from '../../platform/http/open-server.ts'
import type { Log } from '../../platform/log.ts'
import { type BuiltSubgraph, builtSubgraph } from './build-subgraph.ts'
import { namesRule } from './check-names.ts'
import { checkVariables } from './check-variables.ts'
import { openSignedBody, type SignedState } from './open-signed-body.ts'
import { presentGraphError, presentOtherFaults } from './present-error.ts'
import {
  closeServices,
  openServices,
  openSubgraphContext,
  type ServiceOptions,
  type SubgraphContext,
} from './services.ts'
import { streamEvents } from './stream-events.ts'
import type { Subgraph } from './subgraph.ts'

/** A subgraph that runs as a separate process. */
interface RunningSubgraph {
  url: string
  close(): Promise<void>
}

/** Starts one subgraph on `config.subgraphPort`, for gateways that sign their calls. */
export async function startSubgraph(
  config: Config,
  subgraph: Subgraph,
  options: ServiceOptions = {},
): Promise<RunningSubgraph> {
  return serveSubgraph(config, await builtSubgraph(subgraph), options)
}

/** Serves a built subgraph. */
export async function serveSubgraph(
  config: Config,
  built: BuiltSubgraph,
  options: ServiceOptions = {},
): Promise<RunningSubgraph> {
  const services = openServices(config, { name: `subgraph-${built.name}`, ...options })
  const streams = new Set<ServerResponse>()
  const apollo = openApollo(built, services.context.log)
  await apollo.start()
  let draining = false

  const app = new Koa<SignedState>()
  app.silent = true
  app.use(answerHealth(services.context, () => draining))
  app.use(openSignedBody(services.context, built.name))
  app.use(streamEvents(services, { subgraph: built, streams }))
  app.use(
    koaMiddleware(apollo, {
      context: async ({ ctx }) => openSubgraphContext(services, ctx.state.call),
    }),
  )
  const listening = await listen(openServer(app.callback()), {
    host: config.host,
    port: config.subgraphPort,
  })
  const { context } = services
  const health =
    config.subgraphHealthPort > 0 ? await openHealth(context, config.subgraphHealthPort) : undefined
  return {
    url: listening.url,
    async close() {
      draining = true
      health?.drain()
      for (const stream of streams) stream.destroy() // Gateways subscribe again at another process.
      await listening.drain(config.shutdownGraceMs)
      await apollo.stop()
      await closeServices(services)
      await health?.close()
    },
  }
}

/** Opens the server of one subgraph. It reports the same errors as the subgraph in-process. */
function openApollo({ schema }: BuiltSubgraph, log: Log): ApolloServer<SubgraphContext> {
  return new ApolloServer<SubgraphContext>({
    schema,
    introspection: true,
    validationRules: [namesRule],
    stopOnTerminationSignals: false,
    plugins: [refuseVariables, reportAllFaults, ApolloServerPluginInlineTraceDisabled()],
    formatError: (formatted, error) => presentError(formatted, error, log),
    logger: log,
  })
}

function presentError(formatted: GraphQLFormattedError, error: unknown, log: Log): GraphQLFormattedError {
  return error instanceof GraphQLError ? presentGraphError(error, log).toJSON() : formatted
}

const refuseVariables: ApolloServerPlugin<SubgraphContext> = {
  requestDidStart: async () => ({
    async responseForOperation({ schema, document, operationName, request }) {
      const faults = checkVariables(schema, { document, operationName, variables: request.variables })
      if (faults.length === 0) return null
      const errors = faults.map(fault => fault.toJSON())
      return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: { errors } } }
    },
  }),
}

/** Adds the other errors about an input, because `formatError` maps each error to a single error. */
const reportAllFaults: ApolloServerPlugin<SubgraphContext> = {
  requestDidStart: async () => ({
    async willSendResponse({ response: { body }, errors = [] }) {
      const others = errors.flatMap(presentOtherFaults).map(error => error.toJSON())
      if (body.kind === 'single' && others.length > 0)
        body.singleResult.errors = [...(body.singleResult.errors ?? []), ...others]
    },
  }),
}
