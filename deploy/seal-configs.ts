import { sealOpenConfigs } from '../domain/byok/seal-open-configs.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import { runMain } from '../platform/process/run-main.ts'
import { openVault } from '../platform/secrets/vault.ts'

const help = `
Seals what the configurations of customers' credentials keep open in the database although nobody knows it to be
harmless. A configuration is sealed so when it is written; this command is for rows that an older version wrote.

  npm run byok:seal

Everything keeps running meanwhile. It can be stopped at any moment and run again. Answers show *** for such values
whether it was run or not.

DATABASE_URL names the database, MASTER_KEYS the keys.
`

await runMain({ name: 'byok:seal', help, start: sealConfigs })

async function sealConfigs(config: Config): Promise<undefined> {
  await withPostgres({ url: config.databaseUrl, name: 'byok:seal' }, async sql => {
    const { sealed, faulty } = await sealOpenConfigs({ sql, vault: openVault(config.masterKeys) })
    process.stdout.write(`${sealed} configurations sealed\n`)
    for (const id of faulty) process.stdout.write(`the credential ${id} does not open\n`)
    if (faulty.length > 0) throw new Error(`credentials whose secrets do not open: ${faulty.length}`)
  })
}
