import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../domain/context.ts'
import { type LoadGenerator, startLoadGenerator } from '../load/generate-load.ts'
import { openAccounts } from './open-accounts.ts'
import { type NodeProcess, startNode } from './start-node.ts'
import { type EdgeProcess, type Surroundings, startEdge, startWorker } from './start-processes.ts'
import { startStores } from './start-stores.ts'

/** A server that gets load: our edge, or the floor that it is compared with. */
export type Side = 'floor' | 'edge'

/** Everything that runs during a benchmark. */
export interface System extends Surroundings {
  ports: Record<Side | 'upstream', number>
  /** The processes whose CPU and memory are measured. */
  pids: Record<string, number>
  /** API keys of accounts with credits. */
  keys: string[]
  context: Context
  edge: EdgeProcess
  load: LoadGenerator
  /** Creates keys until there are `count`. */
  openKeys(count: number): Promise<void>
  /** Starts another floor of `processes` processes. */
  startFloor(processes: number): Promise<NodeProcess>
  /** Starts another edge on the same stores. */
  startEdge(options: { processes?: number; environment?: Record<string, string> }): Promise<NodeProcess>
  /** Starts a worker on the same stores. */
  startWorker(): Promise<NodeProcess>
  /** Closes a resource of a scenario before everything else if the scenario is interrupted. */
  adopt(resource: AsyncDisposable): void
  close(): Promise<void>
}

const accounts = 100
const keys = 1_000

/**
 * Starts databases, upstream, floor, edge and load generator as separate processes in a temporary folder. If one does not
 * start, stops the others and throws.
 */
export async function startSystem(options: { profileFolder?: string | undefined }): Promise<System> {
  await using starting = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-bench-'))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must reach it
  starting.defer(() => rm(folder, { recursive: true, force: true }))
  const { environment, context, pids } = await startStores(folder, starting)
  const surroundings = { folder, environment }
  const start = async (name: string, words: (port: number) => string[]) =>
    starting.use(await startNode({ name, entry: `bench/${name}/main.ts`, words, folder }))
  const upstream = await start('upstream', port => [String(port)])
  const startFloor = (processes = 1) => {
    const words = (port: number) => [String(port), `http://127.0.0.1:${upstream.port}`, String(processes)]
    return startNode({ name: 'floor', entry: 'bench/floor/main.ts', words, folder })
  }
  const floor = starting.use(await startFloor())
  const vendors = { upstreamPort: upstream.port }
  const edge = starting.use(await startEdge(surroundings, { ...vendors, ...options }))
  const load = startLoadGenerator()
  starting.defer(load.stop)
  const system: System = {
    ...surroundings,
    ports: { floor: floor.port, edge: edge.port, upstream: upstream.port },
    pids: { floor: floor.pid, edge: edge.pid, ...pids, upstream: upstream.pid, load: load.pid },
    keys: [],
    context,
    edge,
    load,
    async openKeys(count) {
      const keysEach = Math.ceil((count - system.keys.length) / accounts)
      const opened = await openAccounts(context, { accounts, keysEach })
      system.keys.push(...opened.map(({ text }) => text))
    },
    startFloor,
    startEdge: more => startEdge(surroundings, { ...vendors, ...more }),
    startWorker: () => startWorker(surroundings, vendors),
    adopt: resource => void stack.use(resource),
    close: () => stack.disposeAsync(),
  }
  await system.openKeys(keys)
  const stack = starting.move()
  return system
}
