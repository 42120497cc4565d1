import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../platform/clock.ts'
import type { Context } from '../context.ts'
import type { Committer } from './committer.ts'
import { Link } from './link.ts'
import type { Reply, ReplyOf } from './messages.ts'
import { openProcessRow } from './process-row.ts'
import { remoteLedger } from './remote-ledger.ts'
import { remoteRates } from './remote-rates.ts'
import { RemoteSettlements } from './remote-settlements.ts'
import { type RemoteReservation, reservationFields } from './reservation-fields.ts'

interface ConnectOptions {
  kind: string
  /** The Unix socket of the committer. */
  path: string
  /** The version of the messages (`readBuild`). */
  build: string
  /** Called if the committer runs another build, and so will never accept this process. */
  refused(reason: string): void
}

/** Maximum wait for the committer at start, in milliseconds. */
const connectTimeoutMs = 10_000

/** Maximum time for which a closing edge process waits for settlements and background work, in milliseconds. */
const closeTimeoutMs = 5_000

/**
 * Connects this edge process to the machine's committer. While the committer is unavailable, reservations and rate
 * checks fail with `unavailable`. When another one was started in its place, the process states its reservations and
 * repeats the settlements that were not confirmed. Throws if the committer or Postgres does not respond.
 */
export async function connectCommitter(context: Context, options: ConnectOptions): Promise<Committer> {
  const { kind, path, build, refused } = options
  const reservations = new Map<number, RemoteReservation>()
  const settlements = new RemoteSettlements(() => link, context.clock.monotonic)
  const link: Link = new Link({
    log: context.log,
    path,
    build,
    refused,
    welcomed(isSame) {
      for (const reservation of reservations.values()) link.send(['restate', reservationFields(reservation)])
      if (isSame) settlements.abandon()
      else settlements.repeat()
    },
    received(reply) {
      if (isAboutSettlement(reply) && settlements.received(reply)) return
      // The call has failed because the committer was silent: its request does not use the money.
      if (reply[0] === 'reserved' || (reply[0] === 'checked' && reply[3])) link.send(['release', reply[1]])
    },
    ticked: () => settlements.giveUpLate(),
  })
  try {
    await withTimeout(connectTimeoutMs, link.accepted)
    const row = await openProcessRow(context, { kind })
    const ledger = remoteLedger({ link, row, settlements, reservations })
    return {
      ledger,
      rates: remoteRates(link, reservations),
      get isAvailable() {
        return link.isAvailable
      },
      async close() {
        const ended = Promise.all([untilEnded(settlements), ...ledger.unfinished])
        await Promise.race([ended, sleep(closeTimeoutMs, undefined, { ref: false })])
        link.close()
        await row.close()
      },
    }
  } catch (error) {
    link.close()
    throw error
  }
}

function isAboutSettlement(reply: Reply): reply is ReplyOf<'settled' | 'failed' | 'over'> {
  return reply[0] === 'settled' || reply[0] === 'failed' || reply[0] === 'over'
}

async function untilEnded(settlements: RemoteSettlements): Promise<void> {
  while (settlements.count > 0) await sleep(20)
}
