import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { checkout } from '../../dev/home.ts'
import { signCall } from '../../subgraphs/runtime/signed-call.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import { type NodeProcess, startNode } from '../system/start-node.ts'
import type { System } from '../system/start-system.ts'
import { type Console, openConsole } from './open-console.ts'

/** The ways in which the same query is answered. */
export const wayNames = ['in-process', 'spread', '@apollo/gateway', 'one subgraph'] as const
export type WayName = (typeof wayNames)[number]

/** Where a query is sent, and what answers it. */
export interface Way {
  name: WayName
  port: number
  path: string
  /** Returns the headers that identify the caller. */
  headersOf(body: string): Record<string, string>
  /** The processes whose CPU counts. */
  pids: number[]
}

const loader = ['--import', import.meta.resolve('tsx')] // decorators
const secret = 'bench-secret-of-the-subgraphs'

/** Libraries check less in production, where every secret and place must be set. */
const production = {
  NODE_ENV: 'production',
  SUBGRAPH_SECRET: secret,
  MASTER_KEYS: `bench=${randomBytes(32).toString('base64')}`,
  KEY_PEPPER: 'bench-pepper-of-the-api-keys',
  MEDIA_URL: 'https://media.example.com',
  SMTP_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'Bench <bench@example.com>',
}

/**
 * Starts the control plane with every subgraph in-process; each subgraph as a process, behind a control plane and the
 * reference; and the graph as one subgraph without a gateway. All use the same stores, and each process runs as in
 * production. The account in the queries has ten keys and a hundred requests.
 */
export async function startWays(
  { environment, folder, context }: Pick<System, 'environment' | 'folder' | 'context'>,
  stack: AsyncDisposableStack,
): Promise<Way[]> {
  const shared = {
    ...environment,
    ...production,
    TSX_TSCONFIG_PATH: join(checkout, 'tsconfig.json'),
    ALLOWANCES: 'management_calls=100000000/100000000',
    CALLS_PER_ADDRESS: '100000000',
    ACCESS_TOKEN_SECONDS: '86400',
    LOG_LEVEL: 'info',
  }
  const start = async (name: string, options: Entry): Promise<NodeProcess> => {
    const process = await startNode({
      name,
      entry: options.entry,
      flags: loader,
      words: () => options.words ?? [],
      environment: port => ({ ...shared, [options.portName]: String(port), ...options.environment }),
      readyPath: options.readyPath ?? '/readyz',
      folder,
    })
    stack.defer(() => process.stop(2_000))
    return process
  }
  const control = { entry: 'gateway/main.ts', portName: 'CONTROL_PORT' }
  const inProcess = await start('gateway', control)
  const served: Record<string, NodeProcess> = {}
  for (const name of Object.keys(subgraphs))
    served[name] = await start(`subgraph-${name}`, {
      entry: 'subgraphs/main.ts',
      portName: 'SUBGRAPH_PORT',
      words: [name],
    })
  const urls = Object.entries(served).map(([name, { port }]) => `${name}=http://127.0.0.1:${port}/`)
  const elsewhere = { SUBGRAPH_URLS: urls.join(',') }
  const spread = await start('gateway-spread', { ...control, environment: elsewhere })
  const reference = await start('reference', {
    entry: 'bench/graph/reference-gateway.ts',
    portName: 'CONTROL_PORT',
    environment: elsewhere,
    readyPath: '/graphql?query=%7B__typename%7D',
  })
  const one = await start('one-subgraph', {
    entry: 'bench/graph/one-subgraph.ts',
    portName: 'SUBGRAPH_PORT',
  })

  const console = await openConsole({ sql: context.sql, url: `http://127.0.0.1:${inProcess.port}` })
  const withToken = () => ({ authorization: `Bearer ${console.token}` })
  const spreadPids = Object.values(served).map(({ pid }) => pid)
  const way = (name: WayName, { port, pid }: NodeProcess, others: number[] = []): Way => ({
    name,
    port,
    path: '/graphql',
    headersOf: withToken,
    pids: [pid, ...others],
  })
  return [
    way('in-process', inProcess),
    way('spread', spread, spreadPids),
    way('@apollo/gateway', reference, spreadPids),
    { ...way('one subgraph', one), path: '/', headersOf: signedFor(console) },
  ]
}

interface Entry {
  entry: string
  /** The setting that says where it listens. */
  portName: string
  words?: string[]
  environment?: Record<string, string>
  readyPath?: string
}

/** As a gateway signs what it sends to a subgraph. */
function signedFor({ caller }: Console): Way['headersOf'] {
  const call = { requestId: 'req_bench', address: '127.0.0.1', caller }
  return body => signCall(call, { secret, subgraph: 'one', body, now: Date.now() })
}
