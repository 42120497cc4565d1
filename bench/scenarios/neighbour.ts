import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type AttackName, attacks } from '../attack/attacks.ts'
import { openAttacker } from '../attack/open-attacker.ts'
import { startAttack } from '../attack/start-attack.ts'
import { models } from '../load/models.ts'
import { readMemory } from '../measure/process-tree.ts'
import { latencies } from '../measure/statistics.ts'
import { row } from '../report/result.ts'
import { planRound } from '../rounds/run-round.ts'
import { submitVideo } from '../rounds/submit-video.ts'
import { openAccounts } from '../system/open-accounts.ts'
import { receiveCallbacks } from '../system/receive-callbacks.ts'
import type { NodeProcess } from '../system/start-node.ts'
import { startControl } from '../system/start-processes.ts'
import type { System } from '../system/start-system.ts'
import { writeDirections } from '../upstream/directions.ts'
import type { Scenario } from './scenario.ts'

/** Requests of the neighbour per second, and its keys: five per second exceed the rate of one key. */
const perSecond = 5
const keysEach = 5
/** Duration of each of the two phases. */
const phaseSeconds = 30
const quickSeconds = 3
/** The rates of a production system, which the benchmark's edge does not have. */
const environment = { RATE_REQUESTS: '20' }
/** Maximum latencies under attack, as multiples of the latencies alone. */
const targets = { 'p50 ms': { max: 3 }, 'p99 ms': { max: 5 } }

/** Time until the attack has reached its full strength, in milliseconds. */
const attackStartsMs = 1_000
/** Time after which the callback of a video counts as lost, in milliseconds. */
const maxCallbackMs = 120_000

/** An account with five requests a second, alone and next to an account that tries to take more than its share. */
export const neighbours: Scenario[] = (Object.keys(attacks) as AttackName[]).map(name => ({
  name: `neighbour-${name}`,
  description: attacks[name].description,
  async run(system, { isQuick }) {
    const attack: Attack = attacks[name]
    const seconds = isQuick ? quickSeconds : phaseSeconds
    await using stack = new AsyncDisposableStack()
    const { server, port, measure } = await openNeighbour(system, attack, stack)
    const upstreamUrl = `http://127.0.0.1:${system.ports.upstream}`
    const keys = await openAttacker(system.context, attack, { upstreamUrl })
    const alone = await measure({ warmUpSeconds: 5, seconds })
    const before = readMemory(server.pid).residentBytes
    const attacker = startAttack({
      name,
      port,
      keys,
      model: models.a,
      imageModel: models.images,
      speechModel: models.speech,
      imagePrompt: writeDirections({ bytes: 3 << 20 }),
    })
    await sleep(attackStartsMs)
    const attacked = await measure({ warmUpSeconds: 1, seconds })
    const responses = await attacker.stop()
    const grown = (readMemory(server.pid).residentBytes - before) / (1 << 20)
    const ratio = {
      'p50 ms': attacked.figures['p50 ms'] / alone.figures['p50 ms'],
      'p99 ms': attacked.figures['p99 ms'] / alone.figures['p99 ms'],
    }
    return {
      rows: [
        row('alone', alone.figures),
        row('attacked', { ...attacked.figures, 'grown MB': grown }),
        row('ratio', ratio, targets),
        row("attacker's responses by status", responses),
      ],
      faults: [...alone.faults, ...attacked.faults],
    }
  },
}))

/** A customer with a small, steady load on a process that another account attacks. */
interface Neighbour {
  /** The process that is attacked, and the port that the attack calls. */
  server: NodeProcess
  port: number
  measure(lengths: {
    warmUpSeconds: number
    seconds: number
  }): Promise<{ figures: ReturnType<typeof latencies>; faults: string[] }>
}

/**
 * Starts the process that an attack targets, and opens an account on it. The neighbour sends chat requests to an edge, calls
 * the graph of a control plane, or submits videos for a worker and waits for their callbacks.
 */
async function openNeighbour(
  system: System,
  { target }: Attack,
  stack: AsyncDisposableStack,
): Promise<Neighbour> {
  const opened = await openAccounts(system.context, { accounts: 1, keysEach })
  const keys = opened.map(({ text }) => text)
  if (target === 'worker') {
    const server = stack.use(await system.startWorker())
    const { port } = stack.use(await system.startEdge({ environment }))
    return { server, port, measure: lengths => measureVideos(port, { keys, ...lengths }) }
  }
  const isControl = target === 'control'
  const server = stack.use(await (isControl ? startControl(system) : system.startEdge({ environment })))
  const { port } = server
  const load = { shape: { perSecond }, keys: keysEach, protocol: isControl ? 'graph' : 'chat' } as const
  return {
    server,
    port,
    async measure(lengths) {
      const ports = { ...system.ports, edge: port }
      const plan = planRound({ ports, keys }, { load, lengths })
      const { p50Ms, p99Ms, faults } = await system.load.generate(plan)
      return { figures: { 'p50 ms': p50Ms, 'p99 ms': p99Ms }, faults }
    },
  }
}

/** Submits videos at an even rate. Latencies are from submit to callback, for videos that start after the warm-up. */
async function measureVideos(
  port: number,
  { keys, warmUpSeconds, seconds }: { keys: string[]; warmUpSeconds: number; seconds: number },
) {
  using receiver = await receiveCallbacks()
  const submitNext = async (_: unknown, at: number) => {
    await sleep((at * 1000) / perSecond)
    const submittedAt = Date.now()
    const id = await submitVideo(port, { key: keys[at % keys.length]!, callbackUrl: receiver.url })
    while (!receiver.received.has(id) && Date.now() < submittedAt + maxCallbackMs) await sleep(5)
    const callback = receiver.received.get(id)
    if (!callback) throw new Error('a video sent no callback')
    return callback.at - submittedAt
  }
  const first = warmUpSeconds * perSecond
  const ended = await Promise.allSettled(Array.from({ length: first + seconds * perSecond }, submitNext))
  const counted = ended.slice(first).filter(end => end.status === 'fulfilled')
  const failed = ended.filter(end => end.status === 'rejected')
  return { figures: latencies(counted.map(end => end.value)), faults: failed.map(end => String(end.reason)) }
}
