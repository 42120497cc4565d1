import { signCall } from '../../subgraphs/runtime/signed-call.ts'
import { subgraphs } from '../../subgraphs/subgraphs.ts'
import type { NodeProcess } from '../system/start-node.ts'
import { type Surroundings, startControl, startProcess, startSubgraphs } from '../system/start-processes.ts'
import { secrets } from '../system/start-stores.ts'
import type { System } from '../system/start-system.ts'
import { openConsole } from './open-console.ts'

/** A server of the whole graph. */
export interface GraphServer {
  name: string
  port: number
  path: string
  /** Returns the headers that identify the caller. */
  headersOf(body: string): Record<string, string>
  /** The processes whose CPU counts. */
  pids: number[]
}

/** Settings for which libraries check less, and without rates. */
export const production = {
  NODE_ENV: 'production',
  MEDIA_URL: 'https://media.example.com',
  SMTP_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'Bench <bench@example.com>',
  ALLOWANCES: 'management_calls=100000000/100000000',
  CALLS_PER_ADDRESS: '100000000',
  ACCESS_TOKEN_SECONDS: '86400',
}

/**
 * Starts the control plane with every subgraph in its process; each subgraph as a process, behind a control plane and behind
 * the reference; and the graph as one subgraph without a gateway. All use the same stores and run as in production. The
 * account of the caller has ten keys and a hundred requests.
 */
export async function startServers(
  { environment, folder, context }: System,
  stack: AsyncDisposableStack,
): Promise<GraphServer[]> {
  const surroundings: Surroundings = { folder, environment: { ...environment, ...production } }
  const inProcess = stack.use(await startControl(surroundings))
  const apart = await startSubgraphs(surroundings, Object.keys(subgraphs), stack)
  const { environment: remote } = apart
  const spread = stack.use(await startControl(surroundings, { name: 'spread', environment: remote }))
  const start = async (name: string, portName: string, more: { readyPath?: string } = {}) => {
    const plan = { name, entry: `bench/graph/${name}.ts`, portName, hasDecorators: true, ...more }
    return stack.use(await startProcess(surroundings, { ...plan, environment: remote }))
  }
  const readyPath = '/graphql?query=%7B__typename%7D'
  const reference = await start('reference-gateway', 'CONTROL_PORT', { readyPath })
  const one = await start('one-subgraph', 'SUBGRAPH_PORT')

  const { token, caller } = await openConsole(context.sql, `http://127.0.0.1:${inProcess.port}`)
  const call = { requestId: 'req_bench', address: '127.0.0.1', caller }
  const { SUBGRAPH_SECRET: secret } = secrets
  const sign = (body: string) => signCall(call, { secrets: [secret], subgraph: 'one', body, now: Date.now() })
  const server = (name: string, { port, pid }: NodeProcess, others: number[] = []): GraphServer => ({
    name,
    port,
    path: '/graphql',
    headersOf: () => ({ authorization: `Bearer ${token}` }),
    pids: [pid, ...others],
  })
  return [
    server('in-process', inProcess),
    server('spread', spread, apart.pids),
    server('@apollo/gateway', reference, apart.pids),
    { ...server('one subgraph', one), path: '/', headersOf: sign },
  ]
}
