import { lapseHolds } from '../../domain/ledger/lapse-holds.ts'
import type { Job } from '../job.ts'

/** Money held by a process that died is free again within seconds. */
export const lapseDeadHolds: Job = {
  name: 'lapse-dead-holds',
  everyMs: 2000,
  async run(context) {
    const count = await lapseHolds(context)
    if (count > 0) context.log.warn({ count }, 'holds of a dead process were given back')
  },
}
