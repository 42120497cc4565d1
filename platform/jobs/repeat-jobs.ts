import type { Log } from '../log.ts'
import type { Sql } from '../postgres/open-postgres.ts'
import { explainFault } from '../process/explain-fault.ts'
import { addJob, addJobSurely, type NewJob } from './add-job.ts'
import type { Job, RepeatingJob } from './job.ts'

/** What a repeating job needs of its surroundings. */
interface Surroundings {
  sql: Sql
  log: Log
}

/**
 * Work that repeats, as a job that adds itself again when it has run. A queue of its own keeps two workers from
 * running it at once; one that was killed while it ran is made up for as any other job is.
 */
export function repeating<Services>(
  { sql, log }: Surroundings,
  { name, everyMs, run }: RepeatingJob<Services>,
): Job<Services> {
  return {
    name,
    async run(services) {
      await run(services).catch(error => log.error({ job: name, error: explainFault(error) }, 'job failed'))
      await addJobSurely(sql, { ...repetition(name), afterMs: everyMs })
    },
  }
}

/** Adds each, to be run at once; in place of one that waits. */
export async function addRepeatingJobs(sql: Sql, names: readonly string[]): Promise<void> {
  for (const name of names) await addJob(sql, repetition(name))
}

function repetition(name: string): NewJob {
  // It is never given up, however often its worker dies.
  return { name, payload: {}, key: `repeat:${name}`, queueName: `repeat:${name}`, maxAttempts: 32_767 }
}
