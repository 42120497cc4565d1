import { readFile } from 'node:fs/promises'
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { callWithCaller, openCallers } from '../../gateway/http/identify-caller.ts'
import { graphFolder, supergraphFile } from '../../gateway/supergraph/load-graph.ts'
import { readConfig } from '../../platform/config/read-config.ts'
import type { Call } from '../../subgraphs/runtime/call.ts'
import { openServices } from '../../subgraphs/runtime/services.ts'
import { signCall } from '../../subgraphs/runtime/signed-call.ts'

/**
 * The reference for the graph: @apollo/gateway over the committed supergraph, behind @apollo/server, with the subgraphs of
 * `SUBGRAPH_URLS`. Our functions identify callers, count calls and sign requests; everything else is Apollo's, with the
 * minimum that a gateway needs.
 */
const config = readConfig(process.env)
const services = openServices(config, { name: 'reference' })
const callers = openCallers(services)

interface ReferenceContext {
  call?: Call
}

class SignedSource extends RemoteGraphQLDataSource<ReferenceContext> {
  readonly #subgraph: string

  constructor(subgraph: string, url: string) {
    super({ url })
    this.#subgraph = subgraph
  }

  override willSendRequest({ request, context }: Parameters<WillSend>[0]): void {
    const { query, http, ...rest } = request
    if (!http || !context.call) return // it asks for the schema
    const body = JSON.stringify({ query, ...rest })
    const { subgraphSecrets: secrets } = config
    const signature = signCall(context.call, { secrets, subgraph: this.#subgraph, body, now: Date.now() })
    for (const [name, value] of Object.entries(signature)) http.headers.set(name, value)
  }
}

type WillSend = NonNullable<RemoteGraphQLDataSource<ReferenceContext>['willSendRequest']>

const gateway = new ApolloGateway({
  supergraphSdl: await readFile(new URL(supergraphFile, graphFolder), 'utf8'),
  buildService({ name }) {
    const url = config.subgraphUrls.get(name)
    if (url === undefined) throw new Error(`SUBGRAPH_URLS does not name ${name}`)
    return new SignedSource(name, url)
  },
})
const server = new ApolloServer<ReferenceContext>({
  gateway,
  csrfPrevention: false,
  stopOnTerminationSignals: false,
})
process.once('SIGTERM', () => process.exit())
await startStandaloneServer(server, {
  listen: { host: config.host, port: config.controlPort },
  async context({ req }) {
    const call = { requestId: services.context.ids.tagged('req_'), address: '127.0.0.1' }
    const authorization = req.headersDistinct.authorization ?? []
    return { call: await callWithCaller(callers, { call, authorization }) }
  },
})
