import { Cluster, type Command, type Redis } from 'ioredis'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { pingMasters } from './cluster-masters.ts'
import type { RedisClient } from './open-redis.ts'

/** Interval between two checks, in milliseconds. */
const checkIntervalMs = 1_000

/**
 * Number of consecutive failed checks after which Redis counts as unavailable. A single failure may be a pause of this
 * process.
 */
const failedChecks = 2

/**
 * The same number until Redis has answered once. A process that starts does not read answers while it loads its modules
 * and compiles the graph.
 */
const failedChecksAtStart = 5

/** Interval between two warnings while Redis is unavailable, in milliseconds. */
const warningIntervalMs = 60_000

export type RedisState = 'ok' | 'partial' | 'unavailable' | 'none'

/** The state of a process's connection to Redis. */
export interface RedisHealth {
  /** `partial` if some masters of a cluster do not answer, `none` if the system runs without Redis. */
  readonly state: RedisState
  /** Number of commands of this process without an answer since it started. */
  readonly failures: number
}

/** The health of a connection, and the check that keeps it up to date. */
export interface RedisWatch extends RedisHealth {
  /** Sends one PING, in a cluster to each master. Logs a warning each minute while Redis or a master is unavailable. Never throws. */
  check(): Promise<void>
  close(): void
}

/**
 * Checks the connection each second and counts its failed commands. The watch of a system without Redis does
 * nothing.
 */
export function watchRedis(
  redis: RedisClient,
  { log, clock, isNone }: { log: Log; clock: Clock; isNone: boolean },
): RedisWatch {
  if (isNone) return { state: 'none', failures: 0, check: async () => {}, close: () => {} }
  let state: RedisState = 'unavailable' // until it has answered once
  let failures = 0
  let maxFailedChecks = failedChecksAtStart
  let failedInARow = 0
  let downSince: number | undefined
  let warnedAt = Number.NEGATIVE_INFINITY
  countFailures(redis, () => {
    failures += 1
  })

  const answered = () => {
    state = 'ok'
    failedInARow = 0
    maxFailedChecks = failedChecks
    if (downSince === undefined) return
    log.info({ redisFailures: failures, downMs: Math.round(clock.monotonic() - downSince) }, 'Redis is back')
    downSince = undefined
    warnedAt = Number.NEGATIVE_INFINITY
  }
  const failed = (silent?: readonly string[]) => {
    const now = clock.monotonic()
    failedInARow += 1
    if (failedInARow < maxFailedChecks) return
    state = silent ? 'partial' : 'unavailable'
    downSince ??= now
    if (now - warnedAt < warningIntervalMs) return
    warnedAt = now
    const details = { redisFailures: failures, downMs: Math.round(now - downSince) }
    if (silent)
      log.warn(
        { ...details, redisMasters: silent },
        'masters of the Redis Cluster are unavailable: each process counts the rates of their accounts for itself',
      )
    else
      log.warn(
        details,
        'Redis is unavailable: each process counts rates for itself. Check REDIS_URL and the server.',
      )
  }
  const check = async () => {
    if (!(redis instanceof Cluster)) return redis.ping().then(answered, () => failed())
    const { all, silent } = await pingMasters(redis)
    if (silent.length === all.length) failed()
    else if (silent.length > 0) failed(silent)
    else answered()
  }
  const timer = setInterval(() => void check(), checkIntervalMs)
  timer.unref()
  redis.on('ready', () => void check())
  return {
    get state() {
      return state
    },
    get failures() {
      return failures
    },
    check,
    close: () => clearInterval(timer),
  }
}

type WriteableStream = Parameters<Redis['sendCommand']>[1]

/** Calls `onFailure` for each command without an answer. An error that Redis itself returns is an answer. */
function countFailures(redis: RedisClient, onFailure: () => void): void {
  const send = redis.sendCommand.bind(redis)
  redis.sendCommand = (command: Command, stream?: WriteableStream) => {
    command.promise.catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'ReplyError')) onFailure()
    })
    return send(command, stream)
  }
}
