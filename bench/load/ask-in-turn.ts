import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from './open-connection.ts'
import type { Tally } from './tally.ts'

/** Number of connections that are opened per second if each sends only one request. */
const openedPerSecond = 500

/**
 * Closed loop: each connection sends the next request after the response, until the tally ends or, if `isOnce`, after the
 * first response. Resolves when all requests are answered.
 */
export async function askInTurn(
  port: number,
  options: { connections: number; isOnce?: true; next(): Buffer; tally: Tally },
): Promise<void> {
  const { connections, isOnce, next, tally } = options
  const open = async (_: unknown, at: number) => {
    if (isOnce) await sleep((at * 1000) / openedPerSecond)
    await askUntilEnd()
  }
  await Promise.all(Array.from({ length: connections }, open))

  function askUntilEnd(): Promise<void> {
    return new Promise(resolve => {
      let sentAt = 0
      let isOver = false
      const connection = openConnection(port, {
        answer(answer) {
          tally.answer(answer, sentAt)
          isOver = isOnce ?? performance.now() >= tally.endsAt
          if (isOver) connection.close()
          else send()
        },
        end(reason) {
          if (!isOver) tally.fault(reason)
          resolve()
        },
      })
      send()

      function send(): void {
        sentAt = performance.now()
        connection.send(next())
      }
    })
  }
}

/** Returns the time until connections that send only one request are open, in seconds. */
export function secondsToOpen(connections: number): number {
  return connections / openedPerSecond
}
