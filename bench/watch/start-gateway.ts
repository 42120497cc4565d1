import { join } from 'node:path'
import { checkout } from '../../dev/home.ts'
import { type NodeProcess, startNode } from '../system/start-node.ts'

const loader = ['--import', import.meta.resolve('tsx')] // decorators

/** Starts a control plane, one process, with the subgraphs `apart` in processes of their own. */
export async function startGateway(
  { environment, folder, apart }: { environment: Record<string, string>; folder: string; apart: string[] },
  stack: AsyncDisposableStack,
): Promise<NodeProcess> {
  const shared = {
    ...environment,
    TSX_TSCONFIG_PATH: join(checkout, 'tsconfig.json'),
    SUBGRAPH_SECRET: 'bench-secret-of-the-subgraphs',
    ALLOWANCES: 'management_calls=100000000/100000000,subscriptions=1000000/1000000',
    CALLS_PER_ADDRESS: '100000000',
    LOG_LEVEL: 'info',
  }
  const start = async (options: Omit<Parameters<typeof startNode>[0], 'flags' | 'folder' | 'readyPath'>) => {
    const process = await startNode({ ...options, flags: loader, folder, readyPath: '/readyz' })
    stack.defer(() => process.stop(2_000))
    return process
  }
  const urls: string[] = []
  for (const name of apart) {
    const { port } = await start({
      name: `subgraph-${name}`,
      entry: 'subgraphs/main.ts',
      words: () => [name],
      environment: port => ({ ...shared, SUBGRAPH_PORT: String(port) }),
    })
    urls.push(`${name}=http://127.0.0.1:${port}/`)
  }
  return start({
    name: `gateway-${apart.length}`,
    entry: 'gateway/main.ts',
    words: () => [],
    environment: port => ({
      ...shared,
      CONTROL_PORT: String(port),
      ...(apart.length > 0 && { SUBGRAPH_URLS: urls.join(',') }),
    }),
  })
}
