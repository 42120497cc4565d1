import { changeAllowance } from '../domain/accounts/set-allowance.ts'
import { systemClock } from '../platform/clock.ts'
import { integer } from '../platform/config/parsers.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import { allowanceTable, isResource, type Resource } from '../schema/allowances.ts'

const help = `
Sets an account's own limit of a resource, instead of the limit of its tier. Running processes apply it within about a
second. For a key that was not used during that second, the limit applies from its second request on.

  npm run account:limit -- --account ID --resource NAME --limit N
  npm run account:limit -- --account ID --resource NAME --default

  --account     the account's ID, as GET /api/v1/me returns it
  --resource    one of: ${Object.keys(allowanceTable).join(', ')}
  --limit       the limit, in the unit that docs/allowances.md lists
  --default     removes the account's own limit

DATABASE_URL names the database.
`

await runMain({
  name: 'account:limit',
  help,
  options: {
    account: { type: 'string' },
    resource: { type: 'string' },
    limit: { type: 'string' },
    default: { type: 'boolean' },
  },
  start: limitAccount,
})

async function limitAccount(config: Config, given: Given): Promise<undefined> {
  const change = readChange(given)
  await withPostgres({ ...directAddress(config), name: 'account:limit' }, async sql => {
    await changeAllowance({ sql, clock: systemClock }, change)
  })
  const { unit } = allowanceTable[change.resource]
  const limit = change.limit === null ? 'the limit of its tier' : `${change.limit} ${unit}`
  process.stdout.write(`${change.resource}: ${limit}\n`)
}

function readChange({ options }: Given): { accountId: string; resource: Resource; limit: number | null } {
  const { account, resource, limit } = options
  if (typeof account !== 'string') throw new Error('--account must be the ID of an account: see --help')
  if (typeof resource !== 'string' || !isResource(resource))
    throw new Error(`--resource must be one of ${Object.keys(allowanceTable).join(', ')}`)
  if ((limit === undefined) !== (options.default === true))
    throw new Error('give either --limit or --default: see --help')
  if (limit === undefined) return { accountId: account, resource, limit: null }
  try {
    return { accountId: account, resource, limit: integer(0, 1e15)(String(limit)) }
  } catch (error) {
    throw new Error(`--limit must be ${error instanceof Error ? error.message : 'valid'}`, { cause: error })
  }
}
