import type { Attack } from '../attack/attacks.ts'
import type { LoadResult } from '../load/plan.ts'
import { openAccounts } from '../system/open-accounts.ts'
import { receiveCallbacks } from '../system/receive-callbacks.ts'
import type { NodeProcess } from '../system/start-node.ts'
import type { System } from '../system/start-system.ts'
import { measureVideos } from './measure-videos.ts'
import { planRound } from './plan-round.ts'

/** A customer with a small, steady load on a process that another account attacks. */
export interface NeighbourLoad {
  /** The process that is attacked. */
  server: NodeProcess
  /** The port that the attack calls. */
  port: number
  /** Measures the neighbour's latencies. */
  measure(warmUpSeconds: number): Promise<Pick<LoadResult, 'p50Ms' | 'p99Ms' | 'faults'>>
}

/** The rates of a production system: the benchmark's edge has none. */
const environment = { RATE_REQUESTS: '20' }
/** Keys of the neighbour: five requests a second are beyond the rate of one. */
const keysEach = 5
/** Seconds of each phase. */
const seconds = 30

/**
 * Starts the process that an attack is aimed at, and opens an account on it. The neighbour of an edge process sends chat
 * requests, the neighbour of a control plane calls the graph, and the neighbour of a worker submits videos and waits for
 * their callbacks.
 */
export async function openNeighbour(
  system: System,
  { target, perSecond }: { target: Attack['target']; perSecond: number },
  stack: AsyncDisposableStack,
): Promise<NeighbourLoad> {
  const keys = await openAccounts(system.context, { accounts: 1, keysEach })
  if (target === 'worker') {
    const server = stack.adopt(await system.startWorker(), worker => worker.stop())
    const edge = stack.adopt(await system.startEdge({ environment }), edge => edge.stop())
    const receiver = stack.adopt(await receiveCallbacks(), receiver => receiver.close())
    const load = { keys, perSecond, seconds, receiver }
    return {
      server,
      port: edge.port,
      measure: warmUpSeconds => measureVideos(edge.port, { ...load, warmUpSeconds }),
    }
  }
  const isControl = target === 'control'
  const start = isControl ? system.startControl() : system.startEdge({ environment })
  const server = stack.adopt(await start, process => process.stop())
  const ports = { ...system.ports, edge: server.port }
  const load = { shape: { perSecond }, keys: keysEach, protocol: isControl ? 'graph' : 'chat' } as const
  return {
    server,
    port: server.port,
    measure(warmUpSeconds) {
      const lengths = { warmUpSeconds, seconds }
      return system.load.generate(planRound({ ...system, ports, keys }, { side: 'edge', load, lengths }))
    },
  }
}
