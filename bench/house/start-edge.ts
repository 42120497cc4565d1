import { type NodeProcess, startNode } from './start-node.ts'

/**
 * Starts our edge, one process, everything on, before an upstream, which is all its vendors. `profileFolder` takes a
 * CPU profile when it ends.
 */
export function startEdge(options: {
  folder: string
  upstream: NodeProcess
  environment: NodeJS.ProcessEnv
  profileFolder?: string | undefined
}): Promise<NodeProcess> {
  const { folder, upstream, environment, profileFolder } = options
  return startNode({
    name: 'edge',
    entry: 'inference-edge/main.ts',
    words: () => [],
    environment: port => ({
      ...environment,
      EDGE_PORT: String(port),
      EDGE_PROCESSES: '1',
      VENDOR_A_BASE_URL: `http://127.0.0.1:${upstream.port}`,
      VENDOR_A_API_KEY: 'sk-bench',
      VENDOR_B_BASE_URL: `http://127.0.0.1:${upstream.port}/anthropic`,
      VENDOR_B_API_KEY: 'sk-bench',
      VENDOR_C_BASE_URL: `http://127.0.0.1:${upstream.port}/gemini`,
      VENDOR_C_API_KEY: 'sk-bench',
      ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'info',
    }),
    flags: profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : [],
    readyPath: '/readyz',
    folder,
  })
}
