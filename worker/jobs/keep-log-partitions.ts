import { keepPartitions } from '../../domain/logs/keep-partitions.ts'
import type { Job } from '../job.ts'

/** Days ahead get their partition, and days older than two months go. */
export const keepLogPartitions: Job = {
  name: 'keep-log-partitions',
  everyMs: 3_600_000,
  async run(context) {
    const dropped = await keepPartitions(context)
    if (dropped.length > 0) context.log.info({ dropped }, 'old log partitions were dropped')
  },
}
