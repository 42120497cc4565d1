import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection } from './open-connection.ts'
import type { Tally } from './tally.ts'

/** A connection and the moment at which its request was due. */
interface Asker {
  connection: Connection
  dueAt: number
  isBusy: boolean
}

/**
 * Open loop: sends requests at a fixed rate, evenly spaced, whether or not earlier ones were answered. Latency counts from
 * the time at which a request was due, so that a stalled server receives no fewer requests. Resolves when all are answered.
 */
export async function askAtRate(
  port: number,
  options: { perSecond: number; next(): Buffer; tally: Tally },
): Promise<void> {
  const { perSecond, next, tally } = options
  const idle: Asker[] = []
  const all: Asker[] = []
  const startedAt = performance.now()
  let sent = 0

  for (let now = startedAt; now < tally.endsAt; now = performance.now()) {
    for (; sent < ((now - startedAt) * perSecond) / 1000; sent++) ask(startedAt + (sent * 1000) / perSecond)
    await sleep(1)
  }
  while (all.some(({ isBusy }) => isBusy)) await sleep(5)
  for (const { connection } of all) connection.close()

  function ask(dueAt: number): void {
    const asker = idle.shift() ?? join() // all by turns: none is idle for long
    asker.dueAt = dueAt
    asker.isBusy = true
    asker.connection.send(next())
    tally.sent(dueAt)
  }

  function join(): Asker {
    const asker: Asker = {
      dueAt: 0,
      isBusy: false,
      connection: openConnection(port, {
        answer(answer) {
          asker.isBusy = false
          idle.push(asker)
          tally.answer(answer, asker.dueAt)
        },
        end(reason) {
          if (asker.isBusy) tally.fault(reason)
          asker.isBusy = false
          if (idle.includes(asker)) idle.splice(idle.indexOf(asker), 1)
        },
      }),
    }
    all.push(asker)
    return asker
  }
}
