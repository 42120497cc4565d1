import { comparePepper } from '../../domain/keys/pepper.ts'
import type { Config } from '../../platform/config/read-config.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { openVault, type Vault } from '../../platform/secrets/vault.ts'
import { type SealedColumn, sealedColumns } from '../rewrap-secrets.ts'
import { findingsOf, type Result } from './check.ts'

/** Checks that the API keys were created under the configured peppers, and that the master keys decrypt the stored secrets. */
export async function checkSecrets(sql: Sql, config: Config): Promise<Result> {
  await comparePepper({ sql, config })
  const vaults = [...config.masterKeys].map(pair => openVault(new Map([pair])))
  const all = openVault(config.masterKeys)
  const counts = await Promise.all(sealedColumns.map(column => countSecrets(sql, column, { all, vaults })))
  const sum = (name: keyof (typeof counts)[number]) => counts.reduce((total, count) => total + count[name], 0)
  const [unreadable, older] = [sum('unreadable'), sum('older')]
  const findings = findingsOf([
    [
      unreadable > 0,
      `MASTER_KEYS decrypts not all stored secrets, at least ${unreadable} of ${sum('secrets')}`,
      'Add the missing key to MASTER_KEYS. After a restore, use the keys of the time of the backup.',
    ],
    [
      older > 0,
      `${older} stored secrets are encrypted with an older master key`,
      'Run npm run secrets:rotate, then remove the older key from MASTER_KEYS.',
    ],
  ])
  return { findings, summary: `${sum('secrets')} stored secrets, pepper as stored` }
}

/**
 * Counts the secrets of a column by the ID of their master key, and decrypts one secret of each master key: two keys can
 * have the same ID.
 */
async function countSecrets(
  sql: Sql,
  { table, column, key, associatedDataOf }: SealedColumn,
  { all, vaults }: { all: Vault; vaults: readonly Vault[] },
): Promise<{ secrets: number; unreadable: number; older: number }> {
  const names = Object.keys(key)
  const rows = await sql.unsafe<{ header: Uint8Array; secrets: number; key: string[]; sealed: Uint8Array }[]>(
    `select substring(${column} from 1 for 2 + get_byte(${column}, 1)) as header, count(*)::int as secrets,
       (array_agg(array[${names.map(name => `${name}::text`).join(', ')}]::text order by ${names.join(', ')}))[1]::text[] as key,
       (array_agg(${column} order by ${names.join(', ')}))[1] as sealed
     from ${table} where ${column} is not null group by 1`,
  )
  const total = { secrets: 0, unreadable: 0, older: 0 }
  for (const { header, secrets, key: values, sealed } of rows) {
    total.secrets += secrets
    if (!vaults.some(vault => vault.header.equals(header))) total.unreadable += secrets
    else if (!opens(all, sealed, associatedDataOf(...values))) total.unreadable += 1
    else if (!all.header.equals(header)) total.older += secrets
  }
  return total
}

function opens(vault: Vault, sealed: Uint8Array, associatedData: string): boolean {
  try {
    vault.open(sealed, associatedData)
    return true
  } catch {
    return false
  }
}
