import { freePort } from '../../dev/services/ports.ts'
import { type Heap, openHeap } from '../measure/open-heap.ts'
import { type NodeProcess, startNode } from './start-node.ts'

export interface EdgeProcess extends NodeProcess {
  /** Opened when it is wanted: most scenarios leave the edge's inspector asleep. */
  openHeap(): Promise<Heap>
  /** The port of its health checks, which run on a separate thread. */
  healthPort: number
}

/**
 * Starts our edge, one process, everything on, before an upstream, which is all its vendors. `profileFolder` takes a
 * CPU profile when it ends.
 */
export async function startEdge(options: {
  folder: string
  upstream: NodeProcess
  environment: NodeJS.ProcessEnv
  /** How many processes share the port; 1 by default. */
  processes?: number
  profileFolder?: string | undefined
}): Promise<EdgeProcess> {
  const { folder, upstream, environment, profileFolder, processes = 1 } = options
  const inspectorPort = await freePort()
  const healthPort = await freePort()
  const edge = await startNode({
    name: 'edge',
    entry: 'inference-edge/main.ts',
    words: () => [],
    environment: port => ({
      ...environment,
      EDGE_PORT: String(port),
      EDGE_PROCESSES: String(processes),
      HEALTH_PORT: String(healthPort),
      VENDOR_A_BASE_URL: `http://127.0.0.1:${upstream.port}`,
      VENDOR_A_API_KEY: 'sk-bench',
      VENDOR_B_BASE_URL: `http://127.0.0.1:${upstream.port}/anthropic`,
      VENDOR_B_API_KEY: 'sk-bench',
      VENDOR_C_BASE_URL: `http://127.0.0.1:${upstream.port}/gemini`,
      VENDOR_C_API_KEY: 'sk-bench',
      VENDOR_I_BASE_URL: `http://127.0.0.1:${upstream.port}/queue`,
      VENDOR_I_API_KEY: 'sk-bench',
      ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'info',
    }),
    flags: [
      `--inspect-port=127.0.0.1:${inspectorPort}`,
      ...(profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []),
    ],
    readyPath: '/readyz',
    folder,
  })
  return { ...edge, healthPort, openHeap: () => openHeap({ pid: edge.pid, port: inspectorPort }) }
}
