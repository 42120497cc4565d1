import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import type { Committer } from '../../../domain/committer/committer.ts'
import { connectCommitter } from '../../../domain/committer/connect-committer.ts'
import { readBuild } from '../../../domain/committer/messages.ts'
import type { Clock } from '../../../platform/clock.ts'
import type { TestSystem } from '../a-context.ts'

/** A socket on which one committer process after another listens. */
export interface TestCommitter {
  path: string
  /** Starts a process, which continues the holds of `adopted`. Resolves to its process ID in the ledger. */
  start(options?: { adopted?: string; databaseUrl?: string }): Promise<string>
  signal(signal: NodeJS.Signals): void
  /** Sends SIGKILL to the process, if one runs, and waits for the exit. */
  kill(): Promise<void>
  /** Connects as an edge process, until the test ends. */
  anEdge(clock?: Clock): Promise<Committer>
}

/** Creates the socket's path in a new folder, which is removed when the run ends. */
export async function aCommitter({ config, context }: TestSystem): Promise<TestCommitter> {
  const path = join(await mkdtemp(join(inject('folder'), 'committer-')), 's')
  let child: ChildProcess | undefined
  return {
    path,
    async start({ adopted, databaseUrl = config.databaseUrl } = {}) {
      const entry = new URL('../../../inference-edge/committer-main.ts', import.meta.url)
      child = fork(entry, adopted ? [path, adopted] : [path], {
        env: {
          PATH: process.env.PATH,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          DATABASE_URL: databaseUrl,
          REDIS_URL: config.redisUrl,
          REDIS_PREFIX: config.redisPrefix,
          LOG_LEVEL: 'silent',
        },
        execArgv: [],
      })
      const [news] = await once(child, 'message')
      return news.processId
    },
    signal: signal => void child?.kill(signal),
    async kill() {
      if (!child || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async anEdge(clock = context.clock) {
      const options = { kind: 'edge', path, build: readBuild(), refused() {} }
      const edge = await connectCommitter({ ...context, clock }, options)
      onTestFinished(() => edge.close())
      return edge
    },
  }
}

export function exactly(amountNanos: bigint) {
  return { amountNanos, minimumNanos: amountNanos }
}

/** Resolves to the name of the error with which a settlement fails. A test may read it later than it occurs. */
export function errorOf(settling: Promise<unknown>): Promise<unknown> {
  return settling.then(
    () => 'none',
    error => error.errorName,
  )
}

/** A request of one key, whose limits allow `burst` requests at once. */
export function aCheck({ accountId, keyId }: { accountId: string; keyId: string }, burst = 9) {
  const limits = { burst, burstWindowMs: 10_000, rpm: null, tph: null, tpd: null, account: 100 }
  return { accountId, keyId, limits, requests: 1, tokens: 0 } as const
}
