import type { Clock } from '../../../platform/clock.ts'
import { type Counts, exchangeMinuteCounts, minuteOf } from '../../../platform/redis/minute-counts.ts'
import type { RedisClient } from '../../../platform/redis/open-redis.ts'
import type { ChatEntry } from '../../../schema/catalog/entry.ts'

/** The calls of one route by a group of accounts in the last minutes, in all processes. */
export interface RouteCalls {
  calls: number
  failures: number
  /** Streams whose first chunk arrived, and the sum of the times that it took, in milliseconds. */
  streams: number
  firstByteMs: number
  /** Whole answers, the sum of their tokens, and the sum of their durations, in milliseconds. */
  answers: number
  tokens: number
  answerMs: number
}

/** The measured health of the routes of models with several vendors (docs/models.md, Routes). */
export interface RouteHealth {
  /** Counts how a call of an account ended. `firstByteMs` is the time until the first chunk of a stream. */
  record(route: Route, call: RouteCall): void
  /** Counts the tokens and the duration of a whole answer. */
  recordAnswer(route: Route, answer: { tokens: number; durationMs: number }): void
  /** Returns the score of a route, lower is better: milliseconds, multiplied for failures. Zero until it is measured. */
  score(route: Route): number
  /** Returns the mean time to the first chunk of a stream, in milliseconds. Zero until it is measured. */
  latency(route: Route): number
  /** Returns the mean duration of 1,000 tokens of an answer, in milliseconds. Zero until it is measured. */
  msPerThousandTokens(route: Route): number
  close(): void
}

type Route = Pick<ChatEntry, 'id' | 'provider'>

interface RouteCall {
  accountId: string
  isFailed: boolean
  firstByteMs?: number | undefined
}

/** Minutes that count. */
const windowMinutes = 5
/** Minimum number of calls of a measured route. With fewer, it comes first, so that it is measured. */
const minCalls = 5
/** Time to the first chunk of a route without streams, in milliseconds. */
const usualFirstByteMs = 1_000
/** Factor of the failure rate: a route of which one call in ten fails counts as three times as slow. */
const failureWeight = 20

/** Number of groups of accounts whose calls are counted apart, so that the failures of one account can be left out. */
const accountGroups = 8

const exchangeMs = 1_000

/**
 * Returns the score of the calls of groups of accounts: the mean time to the first chunk, times 1 + 20 × the share of
 * failed calls. The group with the most failures is left out if the others have enough calls: one account must not make a
 * route look unhealthy to others.
 */
export function scoreOf(groups: readonly RouteCalls[]): number {
  const worst = groups.reduce((most, group) => (group.failures > most.failures ? group : most), noCalls())
  const others = groups.filter(group => group !== worst).reduce(sumOf, noCalls())
  const { calls, failures, streams, firstByteMs } = others.calls < minCalls ? sumOf(others, worst) : others
  if (calls < minCalls) return 0
  const meanMs = streams > 0 ? firstByteMs / streams : usualFirstByteMs
  return meanMs * (1 + (failureWeight * failures) / calls)
}

/**
 * Opens the health of routes. Each second, a process adds its counts to Redis and reads the counts of all processes. Without
 * Redis, it has its own counts.
 */
export function openRouteHealth({
  redis,
  prefix,
  clock,
}: {
  redis: RedisClient
  prefix: string
  clock: Clock
}): RouteHealth {
  /** The counts of all processes that Redis had, and this process's own since, by route and group. */
  let shared = new Map<string, RouteCalls>()
  let unsent = new Map<string, RouteCalls>()
  let isUsed = false

  const callsOf = (route: Route): RouteCalls[] =>
    Array.from({ length: accountGroups }, (_, group) => {
      const name = nameOf(route, group)
      return sumOf(shared.get(name) ?? noCalls(), unsent.get(name) ?? noCalls())
    })
  const exchange = async () => {
    if (!isUsed) return
    const sent = unsent
    unsent = new Map()
    const read = await exchangeCalls(redis, { prefix, sent, minute: minuteOf(clock) }).catch(() => undefined)
    if (read) shared = read
    else for (const [name, calls] of sent) add(unsent, name, calls)
  }
  const timer = setInterval(() => void exchange(), exchangeMs)
  timer.unref()
  return {
    record(route, { accountId, isFailed, firstByteMs }) {
      isUsed = true
      add(unsent, nameOf(route, groupOf(accountId)), {
        ...noCalls(),
        calls: 1,
        failures: isFailed ? 1 : 0,
        streams: firstByteMs === undefined ? 0 : 1,
        firstByteMs: Math.round(firstByteMs ?? 0),
      })
    },
    recordAnswer(route, { tokens, durationMs }) {
      if (tokens === 0) return
      isUsed = true
      const answerMs = Math.round(durationMs)
      add(unsent, nameOf(route, 0), { ...noCalls(), answers: 1, tokens, answerMs }) // speed needs no groups
    },
    score(route) {
      isUsed = true
      return scoreOf(callsOf(route))
    },
    latency(route) {
      isUsed = true
      const { streams, firstByteMs } = callsOf(route).reduce(sumOf)
      return streams < minCalls ? 0 : firstByteMs / streams
    },
    msPerThousandTokens(route) {
      isUsed = true
      const { answers, tokens, answerMs } = callsOf(route).reduce(sumOf)
      return answers < minCalls ? 0 : (1_000 * answerMs) / tokens
    },
    close: () => clearInterval(timer),
  }
}

const fields = ['calls', 'failures', 'streams', 'firstByteMs', 'answers', 'tokens', 'answerMs'] as const

/** Adds the counts of this process to the current minute, and returns the counts of the window. */
async function exchangeCalls(
  redis: RedisClient,
  { prefix, sent, minute }: { prefix: string; sent: ReadonlyMap<string, RouteCalls>; minute: number },
): Promise<Map<string, RouteCalls>> {
  const counts = new Map<string, number>()
  for (const [name, calls] of sent) for (const field of fields) counts.set(`${field} ${name}`, calls[field])
  const read = new Map<string, RouteCalls>()
  const options = { name: `${prefix}{routes}`, minute, minutes: windowMinutes, sent: counts }
  for (const minuteCounts of await exchangeMinuteCounts(redis, options)) readCounts(minuteCounts, read)
  return read
}

function readCounts(counts: Counts, into: Map<string, RouteCalls>): void {
  for (const [key, count] of counts) {
    const field = fields.find(each => key.startsWith(`${each} `))
    if (field) add(into, key.slice(field.length + 1), { ...noCalls(), [field]: count })
  }
}

function nameOf({ id, provider }: Route, group: number): string {
  return `${group} ${id} ${provider}`
}

/** Returns the group of an account, by the end of its ID, which is random. */
function groupOf(accountId: string): number {
  return accountId.charCodeAt(accountId.length - 1) % accountGroups
}

function noCalls(): RouteCalls {
  return { calls: 0, failures: 0, streams: 0, firstByteMs: 0, answers: 0, tokens: 0, answerMs: 0 }
}

function add(counts: Map<string, RouteCalls>, name: string, more: RouteCalls): void {
  counts.set(name, sumOf(counts.get(name) ?? noCalls(), more))
}

function sumOf(a: RouteCalls, b: RouteCalls): RouteCalls {
  return {
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    streams: a.streams + b.streams,
    firstByteMs: a.firstByteMs + b.firstByteMs,
    answers: a.answers + b.answers,
    tokens: a.tokens + b.tokens,
    answerMs: a.answerMs + b.answerMs,
  }
}
