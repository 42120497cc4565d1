import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import type { Sql, SqlTransaction } from './open-postgres.ts'
import { divert, type Statement } from './statements.ts'
import { isLost, isReadOnly } from './transient-errors.ts'

/** The options of the driver. */
export type DriverOptions = postgres.Options<{ bigint: postgres.PostgresType<bigint> }>

/**
 * One connection to Postgres, opened with its first statement. When it is lost, all waiting statements are rejected, and
 * it is never used again: a connection that the driver reopens keeps bytes that were not written yet, and statements
 * without a response, which would then receive the responses to other statements.
 */
export interface PostgresConnection {
  /** Returns the number of statements without a response. */
  inFlight(): number
  /** Sends a statement after all earlier ones. */
  run(statement: Statement): void
  /** Begins a transaction like the driver. Rejects if the connection is lost. */
  begin(work: (transaction: SqlTransaction) => Promise<unknown>): Promise<unknown>
  reserve: Sql['reserve']
  end: Sql['end']
}

interface ConnectionOptions {
  url: string
  driver: DriverOptions
  /** Delay before it connects, in milliseconds. */
  pauseMs: number
  /** Maximum silence while a response is awaited, in milliseconds; then the connection counts as lost. */
  silenceMs: number | undefined
  /** Called once if the connection is lost, unless it was ended. */
  onLost(connection: PostgresConnection): void
  /** Called when the server refuses a statement because it accepts no writes. */
  onReadOnly(): void
}

export function openConnection({
  url,
  driver,
  pauseMs,
  silenceMs,
  ...events
}: ConnectionOptions): PostgresConnection {
  let socket: Socket | undefined
  let isOver = false
  let inFlight = 0
  const awaited = async (answer: PromiseLike<unknown>) => {
    inFlight++
    try {
      await answer
    } catch (error) {
      // The caller gets the error too.
      if (isReadOnly(error)) events.onReadOnly()
    } finally {
      inFlight--
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
          // Before the driver rejects the waiting statements, so that repeats use another connection.
          return socket.once('error', lose).once('end', lose)
        }
        lose()
        throw connectionError('CONNECTION_CLOSED', 'the connection to PostgreSQL was lost')
      },
    },
  })
  const send = Reflect.get(sql``, 'handler')
  const watching = watchSilence({ silenceMs, socket: () => socket, isAwaited: () => inFlight > 0 })

  function lose() {
    if (isOver) return
    isOver = true
    clearInterval(watching)
    sql.end({ timeout: 0 }).catch(() => {})
    events.onLost(connection)
  }

  const connection: PostgresConnection = {
    inFlight: () => inFlight,
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
      await sql`select 1` // the driver cannot reserve a connection that is not open
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
 * Keeps the driver from rolling back on a lost connection: writing to the missing socket would throw an uncatchable
 * exception. The loss itself rejects the transaction.
 */
async function untilLost<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (isLost(error)) return new Promise(() => {})
    throw error
  }
}

/** The parts of the database URL as the driver parsed them. */
interface Address {
  host: string[]
  port: number[]
  /** The path of a Unix socket, or false. */
  path: string | false
}

/** Returns a socket that starts to connect when the driver listens to it. */
function connectTo({ host: [host = ''], port: [port = 0], path }: Address): Socket {
  const socket = Object.assign(new Socket(), { host, port })
  setImmediate(() => (path ? socket.connect(path) : socket.connect(port, host)))
  return socket
}

/** Number of checks for silence within `silenceMs`. */
const checksPerLimit = 4

function watchSilence(options: {
  silenceMs: number | undefined
  socket(): Socket | undefined
  isAwaited(): boolean
}): NodeJS.Timeout | undefined {
  const { silenceMs, isAwaited } = options
  if (!silenceMs) return undefined
  let lastBytesRead = 0
  let silentChecks = 0
  const check = () => {
    const socket = options.socket()
    const isSilent = socket?.bytesRead === lastBytesRead && isAwaited()
    silentChecks = isSilent ? silentChecks + 1 : 0
    lastBytesRead = socket?.bytesRead ?? 0
    if (silentChecks > checksPerLimit)
      socket?.destroy(connectionError('CONNECTION_SILENT', 'PostgreSQL does not answer'))
  }
  return setInterval(check, silenceMs / checksPerLimit).unref()
}

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
