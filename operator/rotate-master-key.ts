import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import { openVault } from '../platform/secrets/vault.ts'
import { rewrapColumn, sealedColumns } from './rewrap-secrets.ts'

const help = `
Wraps every secret in the database with the current master key: credentials of customers, API keys, signing keys.
Secrets themselves stay as they are, and everything keeps running.

  1. put a new key first in MASTER_KEYS, the old one behind it: MASTER_KEYS=new=BASE64,old=BASE64
  2. start every process again with that
  3. npm run secrets:rotate
  4. take the old key out of MASTER_KEYS

  npm run secrets:rotate [-- --batch ROWS]

  --batch    rows a transaction; 500 by default

It can be stopped at any moment and run again: what carries the current key already is left alone. Where a secret
cannot be opened its row is named, the others are wrapped, and the command fails: keep the old key until none is.

DATABASE_URL names the database.
`

await runMain({
  name: 'secrets:rotate',
  help,
  options: { batch: { type: 'string' } },
  start: rotateMasterKey,
})

async function rotateMasterKey(config: Config, given: Given): Promise<undefined> {
  const batchRows = Number(given.options.batch ?? 500)
  if (!Number.isInteger(batchRows) || batchRows < 1 || batchRows > 10_000)
    throw new Error('--batch must be a whole number from 1 to 10000')
  const [current] = config.masterKeys.keys()
  const vault = openVault(config.masterKeys)
  let faults = 0
  await withPostgres({ url: config.databaseUrl, name: 'secrets:rotate' }, async sql => {
    await sql`select pg_advisory_lock(hashtext('secrets:rotate'))` // one at a time: the next finds nothing to do
    for (const column of sealedColumns) {
      const name = `${column.table}.${column.column}`
      const { rewrapped, faulty } = await rewrapColumn({ sql, vault }, column, {
        batchRows,
        onBatch: progress => void process.stdout.write(`${name}: ${progress.rewrapped} wrapped\n`),
      })
      process.stdout.write(`${name}: done, ${rewrapped} wrapped with ${current}\n`)
      for (const row of faulty) process.stdout.write(`${name}: ${row} does not open\n`)
      faults += faulty.length
    }
  })
  if (faults > 0) throw new Error(`secrets that do not open with any key of MASTER_KEYS: ${faults}`)
  process.stdout.write(`every secret is wrapped with ${current}\n`)
}
