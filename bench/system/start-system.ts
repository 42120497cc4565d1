import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../domain/context.ts'
import { type LoadGenerator, startLoadGenerator } from '../load/generate-load.ts'
import type { Heap } from '../measure/open-heap.ts'
import type { Side } from '../scenarios/scenario.ts'
import { openAccounts } from './open-accounts.ts'
import { startControl } from './start-control.ts'
import { startEdge } from './start-edge.ts'
import { startFloor } from './start-floor.ts'
import type { NodeProcess } from './start-node.ts'
import { startStores } from './start-stores.ts'
import { startUpstream } from './start-upstream.ts'
import { startWorker } from './start-worker.ts'

/** All that runs during a benchmark. */
export interface System {
  /** The port of each requested side. */
  ports: Partial<Record<Side, number>> & { upstream: number }
  /** The port of the edge's health checks, which run on a separate thread. */
  healthPort?: number | undefined
  /** API keys with money. */
  keys: string[]
  /** By name, for measuring. */
  pids: Record<string, number>
  /** Creates more keys. */
  openKeys(count: number): Promise<void>
  /** Starts another edge on the same stores. The caller stops it. */
  startEdge(options: { processes?: number; environment?: Record<string, string> }): Promise<NodeProcess>
  /** A control plane on the same stores. The caller stops it. */
  startControl(): Promise<NodeProcess>
  /** Starts a worker on the same stores. The caller stops it. */
  startWorker(): Promise<NodeProcess>
  /** For one more process on the same stores: its folder, and what it needs in its environment. */
  folder: string
  environment: Record<string, string>
  /** Of the edge. Throws where there is none. */
  openHeap(): Promise<Heap>
  load: LoadGenerator
  context: Context
  close(): Promise<void>
}

/**
 * Starts databases, upstream, floor, edge and load generator as separate processes, in a temporary folder. `tell` is called with
 * the name of each part when it starts. If one does not start, stops the others and throws.
 */
export async function startSystem(options: {
  /** Not wanted where only the floor is measured. */
  wantsEdge: boolean
  tell(line: string): void
  profileFolder?: string | undefined
}): Promise<System> {
  const { tell, profileFolder, wantsEdge } = options
  const stack = new AsyncDisposableStack()
  try {
    const folder = await mkdtemp(join(tmpdir(), 'rubicon-bench-'))
    await chmod(folder, 0o755) // as root, PostgreSQL runs as another user and must reach it
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    tell('PostgreSQL, Redis, tables, catalogue')
    const { postgres, redis, environment, context } = await startStores(folder, stack)
    tell('a hundred accounts, a thousand keys')
    const keys = await openAccounts(context, { accounts: 100, keysEach: 10 })
    tell('upstream, floor, edge, load generator')
    const upstream = kept(await startUpstream(folder))
    const floor = kept(await startFloor(folder, upstream))
    const edge = wantsEdge
      ? kept(await startEdge({ folder, upstream, environment, profileFolder }))
      : undefined
    const load = startLoadGenerator()
    stack.defer(load.stop)
    return {
      ports: { floor: floor.port, edge: edge?.port, upstream: upstream.port },
      healthPort: edge?.healthPort,
      keys,
      pids: {
        floor: floor.pid,
        ...(edge && { edge: edge.pid }),
        postgres: postgres.pid,
        redis: redis.pid,
        upstream: upstream.pid,
        load: load.pid,
      },
      async openKeys(count) {
        keys.push(...(await openAccounts(context, { accounts: 100, keysEach: Math.ceil(count / 100) })))
      },
      startEdge: ({ processes = 1, environment: more }) =>
        startEdge({ folder, upstream, environment: { ...environment, ...more }, processes }),
      startControl: () => startControl({ folder, environment }),
      startWorker: () => startWorker({ folder, upstream, environment }),
      folder,
      environment,
      openHeap() {
        if (!edge) throw new Error('there is no edge')
        return edge.openHeap()
      },
      load,
      context,
      close: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }

  function kept<Kept extends NodeProcess>(process: Kept): Kept {
    stack.defer(() => process.stop())
    return process
  }
}
