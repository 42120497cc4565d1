import { openConnection } from './open-connection.ts'
import type { Tally } from './tally.ts'

/**
 * Closed loop: each connection sends its next request as soon as the last one was answered, until the tally ends. Resolves
 * when all are answered.
 */
export async function askInTurn(
  port: number,
  options: { connections: number; next(): Buffer; tally: Tally },
): Promise<void> {
  const { connections, next, tally } = options
  await Promise.all(Array.from({ length: connections }, ask))

  function ask(): Promise<void> {
    return new Promise(resolve => {
      let sentAt = 0
      let isOver = false
      const connection = openConnection(port, {
        answer(answer) {
          tally.answer(answer, sentAt)
          if (performance.now() < tally.endsAt) send()
          else {
            isOver = true
            connection.close()
          }
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
