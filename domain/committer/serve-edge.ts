import type { Socket } from 'node:net'
import { openMessageSocket } from '../../platform/ipc/message-socket.ts'
import { holdUpdateIntervalMs, lapseAfterMs } from '../ledger/ledger.ts'
import { recallHeadroom } from '../ledger/recall-headroom.ts'
import type { Reply, Request } from './messages.ts'
import { checkFor, correctFor } from './serve-rates.ts'
import { dropAll, handleReservation } from './serve-reservations.ts'
import { giveUpAll, repeatSettlement, reportOver, settleFor, takeBack } from './serve-settlements.ts'
import type { CommitterState, ServedEdge } from './served-edge.ts'

/** Interval of `tick`, in milliseconds. */
export const tickMs = holdUpdateIntervalMs

/** Number of ticks after which a silent edge process counts as dead, as one whose heartbeats stop. */
const maxQuietTicks = lapseAfterMs / tickMs

/** Maximum number of bytes that wait for an edge process to read them. */
const maxQueuedBytes = 64 << 20

/** Serves an edge process. If the connection ends, its reservations end, and answers that it did not send are released. */
export function serveEdge(committer: CommitterState, socket: Socket): ServedEdge {
  const edge: ServedEdge = {
    committer,
    messages: openMessageSocket<Reply, Request>(socket, {
      receive(messages) {
        edge.quietTicks = 0
        for (const message of messages) handle(edge, message)
      },
      closed(error) {
        if (error) committer.context.log.warn({ err: error }, 'the connection of an edge process ended')
        leave(edge)
      },
    }),
    reservations: new Map(),
    settlements: new Map(),
    lateResults: new Map(),
    isWelcome: false,
    isGone: false,
    quietTicks: 0,
  }
  return edge
}

/** Sends a heartbeat and reports settlements that have ended. Disconnects an edge process that is silent or reads nothing. */
export function tick(edge: ServedEdge): void {
  edge.quietTicks += 1
  if (edge.quietTicks > maxQuietTicks || edge.messages.queuedBytes > maxQueuedBytes) {
    edge.messages.destroy(new Error('the edge process does not respond'))
    return
  }
  reportOver(edge)
  if (edge.isWelcome) edge.messages.send(['beat'])
}

function handle(edge: ServedEdge, message: Request): void {
  if (!edge.isWelcome && message[0] !== 'hello') throw new Error(`unexpected message ${message[0]}`)
  switch (message[0]) {
    case 'hello':
      welcome(edge, message[1])
      break
    case 'beat':
      break
    case 'check':
      checkFor(edge, message)
      break
    case 'correct':
      correctFor(edge, message)
      break
    case 'recall':
      recallHeadroom(edge.committer.ledger, message[1])
      break
    case 'settle':
      settleFor(edge, message)
      break
    case 'unanswered':
      takeBack(edge, message)
      break
    case 'repeat':
      repeatSettlement(edge, message)
      break
    default:
      handleReservation(edge, message)
  }
}

function welcome(edge: ServedEdge, build: string): void {
  const { committer, messages } = edge
  if (build !== committer.build) {
    messages.send(['refused', 'the committer runs another build: restart the edge'])
    messages.end()
    return
  }
  edge.isWelcome = true
  messages.send(['welcome', committer.id])
}

/** Ends everything of an edge process whose connection has ended. */
function leave(edge: ServedEdge): void {
  edge.isGone = true
  dropAll(edge)
  giveUpAll(edge)
}
