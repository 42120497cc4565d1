import { join } from 'node:path'
import { checkout } from '../../dev/home.ts'
import { freePort } from '../../dev/services/ports.ts'
import { type Heap, openHeap } from '../measure/open-heap.ts'
import { type NodeProcess, startNode } from './start-node.ts'

/** What all processes of a run share. */
export interface Surroundings {
  /** The folder of their logs. */
  folder: string
  /** The settings of the stores. */
  environment: Record<string, string>
}

/** A process of Rubicon, or a replacement of one. */
export interface ProcessPlan {
  name: string
  /** The path of its entry file in the checkout. */
  entry: string
  /** The environment variable with its port. */
  portName: string
  args?: string[]
  environment?: Record<string, string>
  flags?: string[]
  readyPath?: string
  /** Whether its code uses decorators, which Node does not support. */
  hasDecorators?: boolean
}

export interface EdgeProcess extends NodeProcess {
  /** The port of its health checks, which run on a separate thread. */
  healthPort: number
  /** Wakes the edge's inspector, which sleeps in most scenarios. */
  openHeap(): Promise<Heap>
}

/** Starts a process on the stores of a run. */
export function startProcess({ folder, environment }: Surroundings, plan: ProcessPlan): Promise<NodeProcess> {
  const loader = plan.hasDecorators ? ['--import', import.meta.resolve('tsx')] : []
  return startNode({
    name: plan.name,
    entry: plan.entry,
    words: () => plan.args ?? [],
    environment: port => ({
      ...environment,
      ...(plan.hasDecorators && { TSX_TSCONFIG_PATH: join(checkout, 'tsconfig.json') }),
      LOG_LEVEL: 'info',
      [plan.portName]: String(port),
      ...plan.environment,
    }),
    flags: [...(plan.flags ?? []), ...loader],
    readyPath: plan.readyPath ?? '/readyz',
    folder,
  })
}

/** Starts an edge with everything on. The upstream replaces all its vendors. */
export async function startEdge(
  surroundings: Surroundings,
  options: {
    upstreamPort: number
    /** Number of processes that share the port. */
    processes?: number
    /** The folder of a CPU profile, which the edge writes when it ends. */
    profileFolder?: string | undefined
    environment?: Record<string, string>
  },
): Promise<EdgeProcess> {
  const { upstreamPort, processes = 1, profileFolder } = options
  const [inspectorPort, healthPort] = [await freePort(), await freePort()]
  const edge = await startProcess(surroundings, {
    name: 'edge',
    entry: 'inference-edge/main.ts',
    portName: 'EDGE_PORT',
    environment: {
      ...vendorsAt(upstreamPort),
      EDGE_PROCESSES: String(processes),
      HEALTH_PORT: String(healthPort),
      ...options.environment,
    },
    flags: [
      `--inspect-port=127.0.0.1:${inspectorPort}`,
      ...(profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`] : []),
    ],
  })
  return { ...edge, healthPort, openHeap: () => openHeap({ pid: edge.pid, port: inspectorPort }) }
}

/** Starts a worker, which calls the upstream as its vendor of videos. */
export function startWorker(
  surroundings: Surroundings,
  { upstreamPort }: { upstreamPort: number },
): Promise<NodeProcess> {
  const plan = { name: 'worker', entry: 'worker/main.ts', portName: 'WORKER_PORT' }
  return startProcess(surroundings, { ...plan, environment: vendorsAt(upstreamPort) })
}

/** Starts a control plane, whose clients are behind a proxy on this machine. */
export function startControl(
  surroundings: Surroundings,
  { name = 'control', environment = {} }: { name?: string; environment?: Record<string, string> } = {},
): Promise<NodeProcess> {
  const plan = { name, entry: 'gateway/main.ts', portName: 'CONTROL_PORT', hasDecorators: true }
  return startProcess(surroundings, {
    ...plan,
    environment: { TRUSTED_PROXIES: '127.0.0.1/32', ...environment },
  })
}

/** Starts subgraphs, each as a process. Returns the setting of a control plane that uses them. */
export async function startSubgraphs(
  surroundings: Surroundings,
  names: readonly string[],
  stack: AsyncDisposableStack,
): Promise<{ pids: number[]; environment: { SUBGRAPH_URLS: string } }> {
  const [pids, urls]: [number[], string[]] = [[], []]
  for (const name of names) {
    const plan = { name: `subgraph-${name}`, entry: 'subgraphs/main.ts', portName: 'SUBGRAPH_PORT' }
    const { pid, port } = stack.use(
      await startProcess(surroundings, { ...plan, args: [name], hasDecorators: true }),
    )
    pids.push(pid)
    urls.push(`${name}=http://127.0.0.1:${port}/`)
  }
  return { pids, environment: { SUBGRAPH_URLS: urls.join(',') } }
}

/** Returns the settings with which the upstream replaces all vendors. */
function vendorsAt(port: number): Record<string, string> {
  const paths = { VENDOR_A: '', VENDOR_B: '/anthropic', VENDOR_C: '/gemini', VENDOR_I: '/queue' }
  const settings = Object.entries(paths).flatMap(([vendor, path]) => [
    [`${vendor}_BASE_URL`, `http://127.0.0.1:${port}${path}`],
    [`${vendor}_API_KEY`, 'sk-bench'],
  ])
  return { ALLOW_LOOPBACK: 'true', ...Object.fromEntries(settings) }
}
