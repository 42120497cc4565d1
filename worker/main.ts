import { requireDatabase } from '../domain/keys/require-database.ts'
import { runMain } from '../platform/process/run-main.ts'
import { startWorker } from './start-worker.ts'

const help = `
The worker: does what happens later, such as giving back the holds of dead processes and keeping the request log
to its two months. Any number may run at once.

  npm run worker

WORKER_PORT answers /healthz and /readyz. Every setting is in .env.example.
`

await runMain({
  name: 'worker',
  help,
  async start(config) {
    await requireDatabase(config, 'worker')
    return startWorker(config)
  },
})
