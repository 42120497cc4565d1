import type { Config } from '../../platform/config/read-config.ts'
import { startSubgraph } from '../../subgraphs/runtime/start-subgraph.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'

/** Serves every subgraph over HTTP. Returns their URLs, as in `SUBGRAPH_URLS`. */
export interface SpreadSubgraphs {
  urls: Map<string, string>
  close(): Promise<void>
}

/** Starts each subgraph as `npm run subgraph` does, within this process. */
export async function spreadSubgraphs(
  config: Config,
  options: Parameters<typeof startSubgraph>[2] = {},
): Promise<SpreadSubgraphs> {
  const running = await Promise.all(
    Object.entries(subgraphs).map(async ([name, load]) => {
      const { subgraph } = await load()
      return { name, ...(await startSubgraph({ ...config, subgraphPort: 0 }, subgraph, options)) }
    }),
  )
  return {
    urls: new Map(running.map(({ name, url }) => [name, url])),
    async close() {
      await Promise.all(running.map(subgraph => subgraph.close()))
    },
  }
}
