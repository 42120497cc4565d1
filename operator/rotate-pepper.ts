import { rotatePepper } from '../domain/keys/rotate-pepper.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/postgres/open-postgres.ts'
import { runMain } from '../platform/process/run-main.ts'
import { openVault } from '../platform/secrets/vault.ts'

const help = `
Replaces the pepper under which API keys are recognised. Keys keep their text, and everything keeps running.

  1. set KEY_PEPPER_SECOND to the new pepper, and restart every process
  2. swap them: the new one in KEY_PEPPER, the old one in KEY_PEPPER_SECOND, and restart every process
  3. npm run pepper:rotate
  4. after REFRESH_TOKEN_DAYS remove KEY_PEPPER_SECOND (earlier: people log in again), and restart every process

It opens the sealed text of each key with MASTER_KEYS and hashes it again. A key without a sealed text (created by an
early version) keeps the old pepper: such keys are listed, and while one of them is not revoked, no process starts
without the old pepper. Run the command again once they are revoked. It can be repeated at any time.

DATABASE_URL names the database.
`

await runMain({ name: 'pepper:rotate', help, start: rotate })

async function rotate(config: Config): Promise<undefined> {
  const vault = openVault(config.masterKeys)
  await withPostgres({ url: config.databaseUrl, name: 'pepper:rotate' }, async sql => {
    const { rehashed, kept } = await rotatePepper({ sql, config, vault })
    process.stdout.write(`${rehashed} API keys hashed with KEY_PEPPER\n`)
    for (const key of kept) process.stdout.write(`${key} keeps the old pepper: keep KEY_PEPPER_SECOND\n`)
  })
}
