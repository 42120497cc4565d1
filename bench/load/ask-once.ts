import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from './open-connection.ts'
import type { Tally } from './tally.ts'

/** Connections that are opened within a second. */
const openedPerSecond = 500

/** So many connections, one after the other, and one request on each. Resolves when all are answered. */
export async function askOnce(
  port: number,
  options: { connections: number; next(): Buffer; tally: Tally },
): Promise<void> {
  const { connections, next, tally } = options
  const startedAt = performance.now()
  const answers: Promise<void>[] = []
  while (answers.length < connections) {
    const due = ((performance.now() - startedAt) * openedPerSecond) / 1000
    while (answers.length < Math.min(due, connections)) answers.push(ask())
    await sleep(1)
  }
  await Promise.all(answers)

  function ask(): Promise<void> {
    return new Promise(resolve => {
      const sentAt = performance.now()
      let isAnswered = false
      const connection = openConnection(port, {
        answer(answer) {
          isAnswered = true
          tally.answer(answer, sentAt)
          connection.close()
        },
        end(reason) {
          if (!isAnswered) tally.fault(reason)
          resolve()
        },
      })
      connection.send(next())
    })
  }
}

/** How long it takes until all of them have asked. */
export function secondsToAsk(connections: number): number {
  return connections / openedPerSecond
}
