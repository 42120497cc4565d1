import { rotatePepper } from '../domain/keys/rotate-pepper.ts'
import type { Config } from '../platform/config/read-config.ts'
import { withPostgres } from '../platform/migrations/require-postgres.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import { runMain } from '../platform/process/run-main.ts'
import { openVault } from '../platform/secrets/vault.ts'

const help = `
Replaces the pepper with which API keys are hashed. Keys stay the same, and processes keep running.

  1. Set KEY_PEPPER_SECOND to the new pepper, and restart every process.
  2. Swap them: the new pepper in KEY_PEPPER, the old one in KEY_PEPPER_SECOND. Restart every process.
  3. npm run pepper:rotate
  4. After REFRESH_TOKEN_DAYS, remove KEY_PEPPER_SECOND and restart every process. If you do this earlier, users must log
     in again.

The command decrypts the text of each key with MASTER_KEYS and hashes it again. A key without a stored text (created by
an early version) keeps the old pepper. Such keys are listed, and until they are revoked, no process starts without the
old pepper. Run the command again after you revoke them. It is safe to repeat.

DATABASE_URL names the database.
`

await runMain({ name: 'pepper:rotate', help, start: rotate })

async function rotate(config: Config): Promise<undefined> {
  const vault = openVault(config.masterKeys)
  await withPostgres({ ...directAddress(config), name: 'pepper:rotate' }, async sql => {
    const { rehashed, kept } = await rotatePepper({ sql, config, vault })
    process.stdout.write(`${rehashed} API keys hashed with KEY_PEPPER\n`)
    for (const key of kept) process.stdout.write(`${key} keeps the old pepper: keep KEY_PEPPER_SECOND\n`)
  })
}
