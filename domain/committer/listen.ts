import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { closeLedger } from '../ledger/open-ledger.ts'
import { openParts } from './open-committer.ts'
import { serveEdge, tick, tickMs } from './serve-edge.ts'
import type { CommitterState, ServedEdge } from './served-edge.ts'

/** A committer that serves the edge processes of a machine. */
export interface ListeningCommitter {
  /** The ID of its row in `processes`, under which a successor continues its holds. */
  readonly processId: string
  /** Waits until all edge processes have disconnected, then for running settlements, and releases every hold. */
  close(): Promise<void>
}

interface ListenOptions {
  /** The path of a Unix socket in a folder that only this user can read. */
  path: string
  build: string
  /** The process ID of a committer that has ended. */
  adopted?: string | undefined
}

/** Interval at which a committer that closes looks for connected edge processes, in milliseconds. */
const closingPollMs = 20

/**
 * Opens a committer and serves it on a Unix socket. If `adopted` is given, it continues the holds of that committer.
 * Throws `unavailable` if Postgres does not respond.
 */
export async function listenAsCommitter(
  context: Context,
  { path, build, adopted }: ListenOptions,
): Promise<ListeningCommitter> {
  const { ledger, rates, scripts } = await openParts(context, { kind: 'committer', adopted })
  const committer: CommitterState = { context, id: context.ids.uuid(), build, ledger, rates }
  const edges = new Set<ServedEdge>()
  const server = createServer(socket => {
    const edge = serveEdge(committer, socket)
    edges.add(edge)
    socket.once('close', () => edges.delete(edge))
  })
  await rm(path, { force: true })
  server.listen({ path, exclusive: true })
  await once(server, 'listening')
  const timer = setInterval(() => {
    for (const edge of edges) tick(edge)
  }, tickMs)
  return {
    get processId() {
      return ledger.processId
    },
    async close() {
      while (edges.size > 0) await sleep(closingPollMs)
      server.close()
      clearInterval(timer)
      scripts.disconnect()
      await closeLedger(ledger)
    },
  }
}
