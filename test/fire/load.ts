import { setTimeout as sleep } from 'node:timers/promises'
import type { TestKey } from '../harness/an-account.ts'
import { ask, type Question, type Seen } from './ask.ts'
import { type Customers, cheapest } from './customers.ts'
import { type Asking, makeImage, makeVideo, type ReportedTask } from './make-tasks.ts'
import type { System } from './start-system.ts'

/** Load on both edges, by many clients. */
export interface Load {
  /** All that they have seen so far. */
  seen: Seen[]
  /** The outcomes of requests under an Idempotency-Key, by key. */
  repeats: Map<string, Seen[]>
  /** The task states that clients saw. */
  tasks: ReportedTask[]
  /** Asks no more, and waits until each has its answer. */
  stop(): Promise<void>
}

/** How many clients of each kind ask at a time. */
const clients = {
  ...{
    rich: 10,
    exact: 6,
    capped: 6,
    budgeted: 6,
    idempotent: 2,
    leaving: 3,
    slow: 3,
    byok: 3,
    revoked: 3,
    lowered: 3,
  },
  ...{ videos: 4, images: 3 },
}

/** Starts it. */
export function startLoad({ edges }: System, customers: Customers): Load {
  const seen: Seen[] = []
  const repeats = new Map<string, Seen[]>()
  const tasks: ReportedTask[] = []
  let stopping = false
  let turn = 0

  async function send(customer: TestKey, more: Partial<Question>): Promise<Seen> {
    const { url } = edges[turn++ % edges.length]!
    const { text: key, accountId } = customer
    const one = await ask({ url, key, accountId, body: cheapest, ...more })
    seen.push(one)
    return one
  }

  const loops = [
    ...times(clients.rich, at => loop(20, () => send(pick(customers.rich, at), { body: aBody(turn) }))),
    ...times(clients.exact, () => loop(150, () => send(customers.exact, {}))),
    ...times(clients.capped, () => loop(150, () => send(customers.capped, { body: inTurn(cheapest) }))),
    ...times(clients.budgeted, () => loop(150, () => send(customers.budgeted, {}))),
    ...times(clients.idempotent, at => loop(30, round => repeat(`${at}-${round}`))),
    ...times(clients.leaving, () =>
      loop(30, () =>
        send(customers.rude, { body: aStream(), leavesAfterMs: Math.round(10 + Math.random() * 600) }),
      ),
    ),
    ...times(clients.slow, () => loop(200, () => send(customers.rude, { body: aStream(), pausesMs: 400 }))),
    ...times(clients.byok, () => loop(50, () => send(customers.byok, { body: inTurn(cheapest) }))),
    ...times(clients.videos, () => loop(100, submitVideo)),
    ...times(clients.images, () => loop(100, async () => seen.push(await makeImage(maker(), turn)))),
    ...times(clients.revoked, () => loop(40, () => send(customers.revoked, {}))),
    // Idle for longer than a process remembers a key.
    ...times(clients.lowered, () => loop(1_500, () => send(customers.lowered, {}))),
  ]

  async function loop(pauseMs: number, step: (round: number) => Promise<unknown>): Promise<void> {
    for (let round = 0; !stopping; round++) {
      await step(round)
      await sleep(pauseMs * (0.5 + Math.random()))
    }
  }

  async function submitVideo(): Promise<void> {
    const made = await makeVideo(maker(), turn)
    seen.push(...made.seen)
    tasks.push(...made.tasks)
  }

  function maker(): Asking {
    return { url: edges[turn++ % edges.length]!.url, customer: customers.maker }
  }

  /** Three clients ask the same thing at once, again and again, until all of them have an answer. */
  async function repeat(idempotencyKey: string): Promise<void> {
    const one = async () => {
      for (let tries = 0; tries < 40; tries++) {
        const answer = await send(customers.idempotent, { idempotencyKey, body: someWords })
        const known = repeats.get(idempotencyKey) ?? []
        repeats.set(idempotencyKey, [...known, answer])
        if (answer.end === 'answered' || stopping) return
        await sleep(200)
      }
    }
    await Promise.all([one(), one(), one()])
  }

  /** Whole and streamed by turns. */
  function inTurn(body: object): object {
    return turn % 2 === 0 ? body : { ...body, stream: true }
  }

  return {
    seen,
    repeats,
    tasks,
    async stop() {
      stopping = true
      await Promise.all(loops)
    },
  }
}

const someWords = saying('vendor_a/atlas', 'say 20 words')

function aStream(): object {
  return { ...saying('vendor_a/atlas', 'say 400 words [[fault: trickle;ms=10]]'), stream: true }
}

function saying(model: string, content: string) {
  return { model, messages: [{ role: 'user', content }] }
}

const models = ['vendor_a/atlas', 'vendor_a/atlas-mini', 'vendor_b/lyric', 'vendor_c/prism-flash']

/** Mostly what goes well; one in three meets a fault of its vendor. */
const markers = [
  ...['', '', '', '', '', '', '', '', '[[fault: slow;ms=300]]', '[[fault: trickle;ms=20]]'],
  ...['[[fault: 503]]', '[[fault: 429;ms=100]]', '[[fault: cut;n=3]]', '[[fault: garbage;n=2]]'],
  ...['[[fault: no-usage]]', '[[fault: split;n=7]]', '[[fault: stall;n=2]]', '[[fault: error-frame;n=2]]'],
]

/** A request of many kinds, by turns that do not fall into step. */
function aBody(turn: number): object {
  const words = 3 + ((turn * 7) % 120)
  const body = saying(pick(models, turn), `say ${words} words ${pick(markers, turn * 5)}`)
  return turn % 3 === 0 ? body : { ...body, stream: true }
}

function pick<Item>(items: readonly Item[], turn: number): Item {
  return items[turn % items.length]!
}

function times<Result>(count: number, make: (at: number) => Result): Result[] {
  return Array.from({ length: count }, (_, at) => make(at))
}
