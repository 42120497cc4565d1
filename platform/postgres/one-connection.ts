import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql, SqlTransaction } from './open-postgres.ts'
import { divert, type Statement } from './statements.ts'
import { isLost, isReadOnly } from './transient-errors.ts'

/** How the driver is opened. */
export type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<bigint> }>

/**
 * One connection to Postgres, opened with its first statement. Once it is lost all that waits for it is rejected, and it
 * is never used again: one that the driver opens anew keeps what was not written yet, so that Postgres never hears it,
 * and statements without an answer, so that they get the answers of others.
 */
export interface Connection {
  /** How many statements have no answer yet. */
  underWay(): number
  /** Sends a statement, behind those that were given before. */
  run(statement: Statement): void
  /** As the driver's. Rejects where the connection is lost. */
  begin(work: (transaction: SqlTransaction) => Promise<unknown>): Promise<unknown>
  reserve: Sql['reserve']
  end: Sql['end']
}

interface ConnectionOptions {
  url: string
  driver: DriverOptions
  /** It waits so long before it connects. */
  pauseMs: number
  /** Where something is awaited and nothing comes for so long, the connection is lost. */
  silenceMs: number | undefined
  /** Called once, unless it was ended. */
  onLost(connection: Connection): void
  /** Called when the server refuses a statement because it accepts no writes. */
  onReadOnly(): void
}

export function openConnection({
  url,
  driver,
  pauseMs,
  silenceMs,
  ...events
}: ConnectionOptions): Connection {
  let socket: Socket | undefined
  let isOver = false
  let underWay = 0
  const awaited = async (answer: PromiseLike<unknown>) => {
    underWay++
    try {
      await answer
    } catch (error) {
      // The caller gets the error too.
      if (isReadOnly(error)) events.onReadOnly()
    } finally {
      underWay--
    }
  }
  const sql: Sql = postgres(url, {
    ...driver,
    max: 1,
    onclose: lose,
    ...{
      async socket(address: Address) {
        if (pauseMs > 0) await sleep(pauseMs)
        if (!socket && !isOver) {
          socket = connectTo(address)
          // Before the driver tells those who wait: what they send again goes elsewhere.
          return socket.once('error', lose).once('end', lose)
        }
        lose()
        throw connectionError('CONNECTION_CLOSED', 'the connection to PostgreSQL was lost')
      },
    },
  })
  const send = Reflect.get(sql``, 'handler')
  const watching = watchSilence({ silenceMs, socket: () => socket, isAwaited: () => underWay > 0 })

  function lose() {
    if (isOver) return
    isOver = true
    clearInterval(watching)
    sql.end({ timeout: 0 }).catch(() => {})
    events.onLost(connection)
  }

  const connection: Connection = {
    underWay: () => underWay,
    run(statement) {
      void awaited(statement)
      send(statement)
    },
    async begin(work) {
      const begun = Promise.withResolvers<void>()
      void awaited(begun.promise)
      const done = sql.begin(async transaction => {
        begun.resolve()
        const counting = divert(transaction, (statement, sendIt) => {
          void awaited(statement)
          sendIt(statement)
        })
        const result = await untilLost(work(counting))
        void awaited(done) // its commit
        return result
      })
      done.catch(() => {}).finally(begun.resolve)
      return done
    },
    async reserve() {
      await sql`select 1` // the driver reserves none that is not open yet
      return sql.reserve()
    },
    async end(options) {
      await sql.end(options)
      isOver = true
      clearInterval(watching)
      if (socket?.connecting) socket.destroy()
    },
  }
  return connection
}

/**
 * Keeps the driver from rolling back on a connection that is gone: it would write to a socket that is not there, an
 * exception that nobody can catch. A transaction whose connection was lost ends by the loss alone, which rejects it.
 */
async function untilLost<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isLost(error)) return new Promise(() => {})
    throw error
  }
}

/** What the driver found in the address of the database. */
interface Address {
  host: string[]
  port: number[]
  /** Of a socket in the file system. */
  path: string | false
}

/** A socket that begins to connect when the driver listens to it. */
function connectTo({ host: [host = ''], port: [port = 0], path }: Address): Socket {
  const socket = Object.assign(new Socket(), { host, port })
  setImmediate(() => (path ? socket.connect(path) : socket.connect(port, host)))
  return socket
}

/** Silence is looked for so often within its limit. */
const looks = 4

function watchSilence(options: {
  silenceMs: number | undefined
  socket(): Socket | undefined
  isAwaited(): boolean
}): NodeJS.Timeout | undefined {
  const { silenceMs, isAwaited } = options
  if (!silenceMs) return undefined
  let heardBytes = 0
  let silentLooks = 0
  const look = () => {
    const socket = options.socket()
    const isSilent = socket?.bytesRead === heardBytes && isAwaited()
    silentLooks = isSilent ? silentLooks + 1 : 0
    heardBytes = socket?.bytesRead ?? 0
    if (silentLooks > looks)
      socket?.destroy(connectionError('CONNECTION_SILENT', 'PostgreSQL does not answer'))
  }
  return setInterval(look, silenceMs / looks).unref()
}

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
