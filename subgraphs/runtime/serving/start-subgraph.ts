import { koaMiddleware } from '@as-integrations/koa'
import Koa from 'koa'
import type { Config } from '../../../platform/config/read-config.ts'
import { answerHealth } from '../../../platform/http/answer-health.ts'
import { listen } from '../../../platform/http/listen.ts'
import { openServer } from '../../../platform/http/open-server.ts'
import { buildSubgraph } from '../build-subgraph.ts'
import { closeHouse, openHouse } from '../open-house.ts'
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
  const house = openHouse(config, { name: `subgraph-${subgraph.name}` })
  const apollo = openApollo(await buildSubgraph(subgraph), house.context.log)
  await apollo.start()
  let draining = false

  const app = new Koa<SignedState>()
  app.silent = true
  app.use(answerHealth(house.context, () => draining))
  app.use(openSignedBody(house.context, subgraph.name))
  app.use(
    koaMiddleware(apollo, {
      context: async ({ ctx }) => openSubgraphContext(house, ctx.state.call),
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
      await closeHouse(house)
    },
  }
}
