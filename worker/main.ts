import { requireDatabase } from '../domain/keys/require-database.ts'
import { warnOfLostCommits } from '../platform/postgres/warn-of-lost-commits.ts'
import { runMain } from '../platform/process/run-main.ts'
import { startWorker } from './start-worker.ts'

const help = `
Runs the background work: steps of tasks, callbacks, e-mails, repairs such as releasing the holds of dead processes, and
retention. Any number of workers can run at the same time.

  npm run worker

Health checks are at /healthz and /readyz on WORKER_PORT, metrics at /metrics. .env.example lists every setting.
`

await runMain({
  name: 'worker',
  help,
  async start(config) {
    await requireDatabase(config, 'worker')
    await warnOfLostCommits(config, 'worker')
    return startWorker(config)
  },
})
