import { koaMiddleware } from '@as-integrations/koa'
import Koa from 'koa'
import type { Config } from '../../../platform/config/read-config.ts'
import { answerHealth } from '../../../platform/http/answer-health.ts'
import { listen } from '../../../platform/http/listen.ts'
import { openServer } from '../../../platform/http/open-server.ts'
import { buildSubgraph } from '../build-subgraph.ts'
import { closeServices, openServices } from '../open-services.ts'
import type { Subgraph } from '../subgraph.ts'
import { openSubgraphContext } from '../subgraph-context.ts'
import { openApollo } from './open-apollo.ts'
import { openSignedBody, type SignedState } from './open-signed-body.ts'

/** A subgraph that serves by itself. */
export interface RunningSubgraph {
  url: string
  close(): Promise<void>
}

/** Starts one subgraph on `config.subgraphPort`, for gateways that sign what they send. */
export async function startSubgraph(config: Config, subgraph: Subgraph): Promise<RunningSubgraph> {
  const services = openServices(config, { name: `subgraph-${subgraph.name}` })
  const apollo = openApollo(await buildSubgraph(subgraph), services.context.log)
  await apollo.start()
  let draining = false

  const app = new Koa<SignedState>()
  app.silent = true
  app.use(answerHealth(services.context, () => draining))
  app.use(openSignedBody(services.context, subgraph.name))
  app.use(
    koaMiddleware(apollo, {
      context: async ({ ctx }) => openSubgraphContext(services, ctx.state.call),
    }),
  )
  const listening = await listen(openServer(app.callback()), {
    host: config.host,
    port: config.subgraphPort,
  })
  return {
    url: listening.url,
    async close() {
      draining = true
      await listening.drain(config.shutdownGraceMs)
      await apollo.stop()
      await closeServices(services)
    },
  }
}
