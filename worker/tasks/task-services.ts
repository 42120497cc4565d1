import { type ByokCache, openByokCache } from '../../domain/byok/byok-cache.ts'
import type { Context } from '../../domain/context.ts'
import type { Media } from '../../domain/media/media.ts'
import { findMediaModel, type MediaModelRecord } from '../../domain/models/find-media-model.ts'
import { answerTimeoutMs } from '../../domain/tasks/task.ts'
import { withTimeout } from '../../platform/clock.ts'
import { openSessionLocks, type SessionLocks } from '../../platform/postgres/session-locks.ts'
import type { Upstreams } from '../../upstreams/call/open-upstreams.ts'
import { type AccountShares, openAccountShares } from './account-share.ts'

/** What carries tasks to their end in this process. */
export interface TaskServices {
  context: Context
  upstreams: Upstreams
  media: Media
  byok: ByokCache
  /** One at a time works on a task. */
  locks: SessionLocks
  shares: AccountShares
  /** A model and its vendor, a few seconds old at most. */
  modelOf(model: string): Promise<MediaModelRecord | undefined>
  close(): Promise<void>
}

/** One account takes at most this part of the jobs that a worker runs at the same time: an eighth. */
const accountPart = 8

const modelTtlMs = 3_000

/** Opens them. Nothing is asked of Postgres yet. */
export function openTaskServices(
  context: Context,
  { upstreams, media }: { upstreams: Upstreams; media: Media },
): TaskServices {
  const { config, clock } = context
  const byok = openByokCache(context)
  const locks = openSessionLocks({ url: config.databaseUrl, name: 'worker-tasks' })
  const known = new Map<string, { record: MediaModelRecord; readAt: number }>()
  return {
    context,
    upstreams,
    media,
    byok,
    locks,
    shares: openAccountShares(Math.max(1, Math.floor(config.workerJobs / accountPart))),
    async modelOf(model) {
      const found = known.get(model)
      if (found && clock.monotonic() - found.readAt < modelTtlMs) return found.record
      const record = await withTimeout(answerTimeoutMs, findMediaModel(context, { model }))
      if (record) known.set(model, { record, readAt: clock.monotonic() })
      return record
    },
    async close() {
      await byok.close()
      await locks.close()
    },
  }
}
