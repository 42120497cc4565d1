import '../../platform/process/require-node.ts' // first, because the other modules may need a newer Node
import { inspectConfig } from '../../platform/config/read-config.ts'
import { runEntry } from '../../platform/process/run-main.ts'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'
import type { Check } from './check.ts'
import { checkSettings } from './check-settings.ts'
import { listChecks } from './list-checks.ts'
import { countFindings, printReport } from './print-report.ts'
import { runChecks } from './run-checks.ts'
import { secretsOf } from './secrets-of.ts'

const help = `
Checks an installation: settings, Postgres, migrations, partitions, processes, jobs, stored secrets, models, Redis,
storage, the mail server, Stripe's webhook, and the addresses. Prints a line for each check that passed, then a line for
each finding with its remedy. Exits with 1 if there is a finding, or else with 0.

  npm run doctor [-- --vendors] [--mail ADDRESS]

  --vendors        also sends a request for one token of output with each credential of a vendor, which the vendors charge
  --mail ADDRESS   also sends a test e-mail to this address

It needs the same settings as the processes, so run it where they run. It changes nothing, except that it writes and
deletes a small file in the storage and a key in Redis. All checks run at the same time, for at most 10 seconds, or 40
with --vendors, in which the command itself runs. No secret is printed.
`

/** Maximum time of a check in which this process runs, in milliseconds. A call to a vendor takes up to 30 s. */
const timeoutMs = { usual: 10_000, withVendors: 40_000 }

await runEntry(
  { name: 'doctor', help, options: { vendors: { type: 'boolean' }, mail: { type: 'string' } } },
  async ({ options }) => {
    const inspected = inspectConfig({ ...process.env, NODE_ENV: 'production' })
    const { config } = inspected
    const settings: Check = {
      name: 'settings',
      remedy: 'Correct them.',
      run: async () => checkSettings(process.env.NODE_ENV, inspected),
    }
    const hasVendors = options.vendors === true
    const mail = typeof options.mail === 'string' ? options.mail : undefined
    const others = config ? listChecks(config, { vendors: hasVendors, mail }) : undefined
    const reports = await runChecks([settings, ...(others?.checks ?? [])], {
      timeoutMs: hasVendors ? timeoutMs.withVendors : timeoutMs.usual,
      secrets: config ? secretsOf(config) : new Secrets([]),
    })
    for (const line of printReport(reports)) process.stdout.write(`${line}\n`)
    if (!config) process.stdout.write('The other checks need valid settings.\n')
    process.exit(countFindings(reports) > 0 ? 1 : 0) // a check that took too long may hold connections open
  },
)
