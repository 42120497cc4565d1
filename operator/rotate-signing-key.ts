import { rotateSigningKey } from '../domain/accounts/signing-keys.ts'
import { systemClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/read-config.ts'
import { systemIds } from '../platform/ids.ts'
import { requirePostgres } from '../platform/migrations/require-postgres.ts'
import { directAddress } from '../platform/postgres/addresses.ts'
import { openOrm } from '../platform/postgres/open-orm.ts'
import { runMain } from '../platform/process/run-main.ts'
import { openVault } from '../platform/secrets/vault.ts'
import { entities } from '../schema/entities/entities.ts'

const help = `
Creates a new key that signs session tokens. Tokens that older keys signed stay valid until they expire, and
/.well-known/jwks.json publishes those keys until then. Running processes need no restart.

  npm run signing-key:rotate

DATABASE_URL names the database. The first key of MASTER_KEYS encrypts the new signing key.
`

await runMain({ name: 'signing-key:rotate', help, start: rotate })

async function rotate(config: Config): Promise<undefined> {
  const database = { ...directAddress(config), name: 'signing-key:rotate' }
  await requirePostgres(database)
  const orm = openOrm({ ...database, entities, maxConnections: 1 })
  try {
    const tools = { vault: openVault(config.masterKeys), clock: systemClock, ids: systemIds }
    const { id } = await rotateSigningKey({ ...tools, em: orm.em.fork() })
    process.stdout.write(`session tokens are signed with ${id} from now on\n`)
  } finally {
    await orm.close()
  }
}
