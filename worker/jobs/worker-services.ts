import type { Context } from '../../domain/context.ts'
import type { Media } from '../../domain/media/media.ts'
import type { Payments } from '../../domain/stripe/open-payments.ts'
import type { Job as AnyJob } from '../../platform/jobs/job.ts'
import type { Upstreams } from '../../upstreams/call/open-upstreams.ts'
import type { CallbackSender } from '../callbacks/open-sender.ts'
import type { TaskServices } from '../tasks/task-services.ts'

/** What jobs need, built once by `worker/start-worker.ts`. */
export interface WorkerServices {
  context: Context
  media: Media
  payments: Payments
  upstreams: Upstreams
  callbacks: CallbackSender
  tasks: TaskServices
}

/** A job of the worker. */
export type Job<Payload> = AnyJob<WorkerServices, Payload>
