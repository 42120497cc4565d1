import { join } from 'node:path'
import { checkout } from '../../dev/home.ts'
import { freePort } from '../../dev/services/ports.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { type NodeProcess, startNode } from '../system/start-node.ts'

/** A gateway that serves, and the subgraphs that run by themselves. */
export interface GraphProcesses {
  gateway: NodeProcess
  subgraphs: NodeProcess[]
}

const loader = ['--import', import.meta.resolve('tsx')] // decorators

/** Starts the control plane, one process; with `spread` each subgraph is a process as well. */
export async function startGraph(
  { environment, folder, spread }: { environment: Record<string, string>; folder: string; spread: boolean },
  stack: AsyncDisposableStack,
): Promise<GraphProcesses> {
  const shared = {
    ...environment,
    TSX_TSCONFIG_PATH: join(checkout, 'tsconfig.json'),
    SUBGRAPH_SECRET: 'bench-secret-of-the-subgraphs',
    CALLS_PER_CALLER: '100000000',
    CALLS_PER_ADDRESS: '100000000',
    LOG_LEVEL: 'info',
  }
  const served: NodeProcess[] = []
  for (const name of spread ? Object.keys(subgraphs) : []) {
    const process = await startNode({
      name: `subgraph-${name}`,
      entry: 'subgraphs/main.ts',
      flags: loader,
      words: () => [name],
      environment: port => ({ ...shared, SUBGRAPH_PORT: String(port) }),
      readyPath: '/readyz',
      folder,
    })
    stack.defer(() => process.stop(2_000))
    served.push(process)
  }
  const urls = Object.keys(subgraphs).map((name, index) => `${name}=http://127.0.0.1:${served[index]?.port}/`)
  const gateway = await startNode({
    name: spread ? 'gateway-spread' : 'gateway',
    entry: 'gateway/main.ts',
    flags: loader,
    port: await freePort(),
    words: () => [],
    environment: port => ({
      ...shared,
      CONTROL_PORT: String(port),
      ...(spread && { SUBGRAPH_URLS: urls.join(',') }),
    }),
    readyPath: '/readyz',
    folder,
  })
  stack.defer(() => gateway.stop(2_000))
  return { gateway, subgraphs: served }
}
