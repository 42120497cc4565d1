import { type NodeProcess, startNode } from './start-node.ts'

/** Starts our worker, which calls the upstream as its vendor of videos. */
export function startWorker(options: {
  folder: string
  upstream: NodeProcess
  environment: NodeJS.ProcessEnv
}): Promise<NodeProcess> {
  const { folder, upstream, environment } = options
  return startNode({
    name: 'worker',
    entry: 'worker/main.ts',
    words: () => [],
    environment: port => ({
      ...environment,
      WORKER_PORT: String(port),
      VENDOR_I_BASE_URL: `http://127.0.0.1:${upstream.port}/queue`,
      VENDOR_I_API_KEY: 'sk-bench',
      ALLOW_LOOPBACK: 'true',
      LOG_LEVEL: 'info',
    }),
    readyPath: '/readyz',
    folder,
  })
}
