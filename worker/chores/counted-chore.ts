import type { Chore } from '../../platform/chores/chore.ts'
import type { WorkerServices } from '../jobs/worker-services.ts'

/** A chore that logs how much it did, if anything. */
interface CountedWork {
  name: string
  everyMs: number
  /** Does the work and returns how much was done. */
  count(services: WorkerServices): Promise<number>
  /** The log message beside the count. */
  message: string
  level: 'info' | 'warn'
}

export function countedChore({ name, everyMs, count, message, level }: CountedWork): Chore<WorkerServices> {
  return {
    name,
    everyMs,
    async run(services) {
      const done = await count(services)
      if (done > 0) services.context.log[level]({ count: done }, message)
    },
  }
}

export const seconds = 1_000
export const minutes = 60 * seconds
export const hours = 60 * minutes
