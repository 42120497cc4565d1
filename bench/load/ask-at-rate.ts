import { setTimeout as sleep } from 'node:timers/promises'
import { type HttpConnection, openConnection } from './open-connection.ts'
import type { Tally } from './tally.ts'

/** A connection, and the time when its request was due; undefined while it is idle. */
interface Client {
  connection: HttpConnection
  dueAt?: number | undefined
}

/**
 * Open loop: sends requests at a fixed rate, evenly spaced, whether or not earlier ones are answered. Latency counts from
 * the time when a request was due, so that a stalled server gets no fewer requests. Resolves when all are answered.
 */
export async function askAtRate(
  port: number,
  options: { perSecond: number; next(): Buffer; tally: Tally },
): Promise<void> {
  const { perSecond, next, tally } = options
  const idle: Client[] = []
  const all: Client[] = []
  const startedAt = performance.now()
  let sent = 0

  for (let now = startedAt; now < tally.endsAt; now = performance.now()) {
    for (; sent < ((now - startedAt) * perSecond) / 1000; sent++) ask(startedAt + (sent * 1000) / perSecond)
    await sleep(1)
  }
  while (all.some(({ dueAt }) => dueAt !== undefined)) await sleep(5)
  for (const { connection } of all) connection.close()

  function ask(dueAt: number): void {
    const client = idle.shift() ?? addClient() // all take turns, so that none is idle for long
    client.dueAt = dueAt
    client.connection.send(next())
    tally.sent(dueAt)
  }

  function addClient(): Client {
    const client: Client = {
      connection: openConnection(port, {
        answer(answer) {
          tally.answer(answer, client.dueAt!)
          client.dueAt = undefined
          idle.push(client)
        },
        end(reason) {
          if (client.dueAt !== undefined) tally.fault(reason)
          client.dueAt = undefined
          if (idle.includes(client)) idle.splice(idle.indexOf(client), 1)
        },
      }),
    }
    all.push(client)
    return client
  }
}
