import { join } from 'node:path'
import { checkout } from '../../dev/home.ts'
import { type NodeProcess, startNode } from './start-node.ts'

/** Starts our control plane with every subgraph in its process. Its clients are behind a proxy on this machine. */
export function startControl(options: {
  folder: string
  environment: NodeJS.ProcessEnv
}): Promise<NodeProcess> {
  return startNode({
    name: 'control',
    entry: 'gateway/main.ts',
    flags: ['--import', import.meta.resolve('tsx')], // decorators
    words: () => [],
    environment: port => ({
      ...options.environment,
      TSX_TSCONFIG_PATH: join(checkout, 'tsconfig.json'),
      CONTROL_PORT: String(port),
      TRUSTED_PROXIES: '127.0.0.1/32',
      LOG_LEVEL: 'info',
    }),
    readyPath: '/readyz',
    folder: options.folder,
  })
}
