import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import { openVault } from '../platform/secrets/vault.ts'
import { rewrapColumn, sealedColumns } from './rewrap-secrets.ts'

const help = `
Encrypts the key of every secret in the database with the current master key: credentials of customers, API keys, signing
keys. The secrets themselves do not change, and processes keep running.

  1. Add a new key before the old one in MASTER_KEYS: MASTER_KEYS=new=BASE64,old=BASE64
  2. Restart every process with this setting.
  3. npm run secrets:rotate
  4. Remove the old key from MASTER_KEYS.

  npm run secrets:rotate [-- --batch ROWS]

  --batch    rows per transaction, 1 to 10,000; 500 by default

The command can be stopped and run again at any time: it skips secrets that already use the current key. If a secret
cannot be decrypted, its row is printed, the other secrets are encrypted, and the command fails. Keep the old key until
the command succeeds.

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
  await withPostgres({ ...directAddress(config), name: 'secrets:rotate' }, async sql => {
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
