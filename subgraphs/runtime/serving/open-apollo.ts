import { ApolloServer, type ApolloServerPlugin, HeaderMap } from '@apollo/server'
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled'
import { GraphQLError, type GraphQLFormattedError } from 'graphql'
import type { Log } from '../../../platform/log.ts'
import type { BuiltSubgraph } from '../build-subgraph.ts'
import { namesRule } from '../execution/check-names.ts'
import { checkVariables } from '../execution/check-variables.ts'
import { presentGraphError } from '../execution/present-graph-error.ts'
import type { SubgraphContext } from '../subgraph-context.ts'

/** Opens the server of one subgraph; its errors are what the same subgraph says in-process. */
export function openApollo({ schema }: BuiltSubgraph, log: Log): ApolloServer<SubgraphContext> {
  return new ApolloServer<SubgraphContext>({
    schema,
    introspection: true,
    validationRules: [namesRule],
    stopOnTerminationSignals: false,
    plugins: [refuseVariables, ApolloServerPluginInlineTraceDisabled()],
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
      const errors = checkVariables(schema, { document, operationName, variables: request.variables })
      if (errors.length === 0) return null
      return { http: { headers: new HeaderMap() }, body: { kind: 'single', singleResult: { errors } } }
    },
  }),
}
