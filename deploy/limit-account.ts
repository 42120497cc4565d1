import { limitRequests } from '../domain/accounts/accounts.ts'
import { systemClock } from '../platform/clock.ts'
import { integer } from '../platform/config/parsers.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'

const help = `
Gives an account its own share of new requests per API key and window, in place of RATE_REQUESTS. Running edges take
it up within a second.

  npm run account:limit -- --account ID --requests N
  npm run account:limit -- --account ID --default

  --account     the id of the account, as GET /api/v1/me answers it
  --requests    new requests per key in RATE_WINDOW_SECONDS
  --default     takes its own share away: RATE_REQUESTS is in force again

DATABASE_URL names the database.
`

await runMain({
  name: 'account:limit',
  help,
  options: { account: { type: 'string' }, requests: { type: 'string' }, default: { type: 'boolean' } },
  start: limitAccount,
})

async function limitAccount(config: Config, given: Given): Promise<undefined> {
  const { accountId, requests } = readLimit(given)
  await withPostgres({ url: config.databaseUrl, name: 'account:limit' }, async sql => {
    await limitRequests({ sql, clock: systemClock }, { accountId, requests })
    const share = requests ?? `${config.rateRequests} (RATE_REQUESTS)`
    process.stdout.write(`new requests per key in ${config.rateWindowSeconds} s: ${share}\n`)
  })
}

function readLimit({ options }: Given): { accountId: string; requests: number | null } {
  const { account, requests } = options
  if (typeof account !== 'string') throw new Error('--account must name an account: see --help')
  if ((requests === undefined) !== (options.default === true))
    throw new Error('give either --requests or --default: see --help')
  if (requests === undefined) return { accountId: account, requests: null }
  try {
    return { accountId: account, requests: integer(1, 100_000_000)(String(requests)) }
  } catch (error) {
    throw new Error(`--requests must be ${error instanceof Error ? error.message : 'valid'}`, {
      cause: error,
    })
  }
}
