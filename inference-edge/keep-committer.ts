import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Log } from '../platform/log.ts'
import type { CommitterNews } from './start-committer.ts'

/** The supervised committer of this machine. */
export interface KeptCommitter {
  /** Its Unix socket. */
  path: string
  /** Ends it. Call it when the edge processes have ended. */
  close(): Promise<void>
}

/** Delay before the committer is started again, in milliseconds. It doubles while it does not start. */
const backoffMs = { first: 100, max: 5_000 }

/**
 * Starts the committer, and another one whenever it ends. Each continues the holds of the one before. Resolves when the
 * first one listens; to undefined if it ended before, which it has reported.
 */
export async function keepCommitter(log: Log): Promise<KeptCommitter | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'rubicon-')) // only this user can enter it
  const path = join(folder, 'committer')
  const first = start(path, undefined)
  if (!(await first.listens)) {
    await rm(folder, { recursive: true })
    return undefined
  }
  const halt = new AbortController()
  let current = first
  const kept = keep()

  async function keep(): Promise<void> {
    for (let waitMs = backoffMs.first; ; ) {
      await current.ended
      if (halt.signal.aborted) return
      const { pid, exitCode, signalCode } = current.child
      log.warn({ committer: pid, exitCode, signalCode }, 'the committer ended')
      await sleep(waitMs, undefined, { signal: halt.signal }).catch(() => {})
      if (halt.signal.aborted) return
      current = start(path, current.processId())
      waitMs = (await current.listens) ? backoffMs.first : Math.min(2 * waitMs, backoffMs.max)
    }
  }

  return {
    path,
    async close() {
      halt.abort()
      current.child.kill('SIGTERM')
      await current.ended
      await kept
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Started {
  child: ChildProcess
  /** Whether it has begun to listen. False if it ended before. */
  listens: Promise<boolean>
  ended: Promise<void>
  /** Returns the process ID in the ledger: its own, or its predecessor's until it listens. */
  processId(): string | undefined
}

function start(path: string, adopted: string | undefined): Started {
  const file = `./committer-main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), adopted ? [path, adopted] : [path])
  let processId = adopted
  const listens = Promise.withResolvers<boolean>()
  const ended = Promise.withResolvers<void>()
  child.on('message', (news: CommitterNews) => {
    processId = news.processId
    listens.resolve(true)
  })
  child.once('exit', () => {
    listens.resolve(false)
    ended.resolve()
  })
  return { child, listens: listens.promise, ended: ended.promise, processId: () => processId }
}
