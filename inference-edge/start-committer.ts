import { listenAsCommitter } from '../domain/committer/listen.ts'
import { readBuild } from '../domain/committer/messages.ts'
import { closeContext, openContext } from '../domain/context.ts'
import type { Config } from '../platform/config/read-config.ts'
import type { Running } from '../platform/process/run-main.ts'

/** The message of a committer to the process that started it, when it listens and when its process ID has changed. */
export interface CommitterNews {
  processId: string
}

/** Interval at which a change of the process ID is looked for, in milliseconds. */
const newsIntervalMs = 250

/**
 * Starts the committer of this machine on a Unix socket. It ends when the process that started it and all its edge
 * processes have ended. After an uncaught exception it ends at once, and its successor continues its holds.
 */
export async function startCommitter(
  config: Config,
  { path, adopted }: { path: string; adopted: string | undefined },
): Promise<Running> {
  const context = openContext(config, { name: 'committer' })
  const committer = await listenAsCommitter(context, { path, build: readBuild(), adopted })
  let told = ''
  const tell = () => {
    const { processId } = committer
    if (processId === told) return
    told = processId
    process.send?.({ processId } satisfies CommitterNews)
  }
  tell()
  const timer = setInterval(tell, newsIntervalMs)
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  return {
    async close({ isFaulty } = { isFaulty: false }) {
      if (isFaulty) return
      await committer.close()
      clearInterval(timer)
      await closeContext(context)
    },
  }
}
