import { openLiveness } from '../../platform/jobs/open-liveness.ts'
import { runJobs } from '../../platform/jobs/run-jobs.ts'
import { openLog } from '../../platform/log.ts'

// For a test: takes the jobs `run` of the database named on the command line, says so, and never ends them.
let taken = 0
const shared = {
  url: process.argv[2] ?? '',
  name: 'forever',
  log: openLog({ level: 'silent', name: 'forever' }),
}
runJobs({
  ...shared,
  liveness: openLiveness(shared),
  services: null,
  jobs: [
    {
      name: 'run',
      run() {
        if (++taken === 8) process.send?.('taken')
        return new Promise(() => {})
      },
    },
  ],
  atOnce: 8,
  graceMs: 1_000,
})
