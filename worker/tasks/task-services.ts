import { type ByokCache, openByokCache } from '../../domain/byok/byok-cache.ts'
import type { Context } from '../../domain/context.ts'
import type { Media } from '../../domain/media/media.ts'
import { findMediaModel, type MediaModelRecord } from '../../domain/models/find-media-model.ts'
import { answerTimeoutMs } from '../../domain/tasks/task.ts'
import { withTimeout } from '../../platform/clock.ts'
import type { Family } from '../../platform/metrics/family.ts'
import type { Count } from '../../platform/metrics/open-metrics.ts'
import type { Upstreams } from '../../upstreams/call/open-upstreams.ts'
import { advance } from './advance.ts'
import { openSteps, type Steps } from './open-steps.ts'

/** The services that advance tasks in this process. */
export interface TaskServices {
  context: Context
  upstreams: Upstreams
  media: Media
  byok: ByokCache
  steps: Steps
  /** The tasks that this process has ended. */
  ended: Family<Count>
  /** Returns the id under which this process owns the steps that it takes (`Liveness.id`). */
  worker(): Promise<string>
  /** Returns a model and its vendor, at most 3 seconds old. */
  modelOf(model: string): Promise<MediaModelRecord | undefined>
  close(): Promise<void>
}

const modelTtlMs = 3_000

/** Opens the services. Sends nothing to Postgres yet. */
export function openTaskServices(
  context: Context,
  { upstreams, media, worker }: { upstreams: Upstreams; media: Media; worker(): Promise<string> },
): TaskServices {
  const { clock } = context
  const byok = openByokCache(context)
  const known = new Map<string, { record: MediaModelRecord; readAt: number }>()
  const services: TaskServices = {
    context,
    upstreams,
    media,
    byok,
    steps: openSteps(context, (name, signal) => advance(services, name, signal)),
    ended: context.metrics.counter({
      name: 'rubicon_tasks_ended_total',
      help: 'Tasks that ended, by kind, model, vendor and status.',
      labels: ['kind', 'model', 'vendor', 'status'],
      open: ['model'],
    }),
    worker,
    async modelOf(model) {
      const found = known.get(model)
      if (found && clock.monotonic() - found.readAt < modelTtlMs) return found.record
      const record = await withTimeout(answerTimeoutMs, findMediaModel(context, { model }))
      if (record) known.set(model, { record, readAt: clock.monotonic() })
      return record
    },
    close: () => byok.close(),
  }
  return services
}
