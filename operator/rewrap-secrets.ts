import { associatedDataOfPrivateKey } from '../domain/accounts/signing-keys.ts'
import { associatedDataOfApiKey, associatedDataOfConfigSecrets } from '../domain/byok/seal-credential.ts'
import { associatedDataOfCallbackSecret } from '../domain/callbacks/callback-secrets.ts'
import { associatedDataOfFullKey } from '../domain/keys/key-text.ts'
import { associatedDataOfTotpSecret } from '../domain/second-factors/totp.ts'
import type { Sql } from '../platform/postgres/open-postgres.ts'
import type { Vault } from '../platform/secrets/vault.ts'

/** A column that holds sealed secrets. */
export interface SealedColumn {
  table: string
  column: string
  /** The columns of the primary key, and their types. */
  key: Readonly<Record<string, 'uuid' | 'text'>>
  /** Returns the associated data of a row's secret (`Vault`), by the row's primary key. */
  associatedDataOf(...key: string[]): string
}

const ofAccount = { account_id: 'uuid', id: 'uuid' } as const

/** Every column that holds sealed secrets. A test compares them with the tables. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'signing_keys',
    column: 'private_jwk_sealed',
    key: { id: 'text' },
    associatedDataOf: associatedDataOfPrivateKey,
  },
  {
    table: 'api_keys',
    column: 'full_key_sealed',
    key: ofAccount,
    associatedDataOf: associatedDataOfFullKey,
  },
  {
    table: 'api_keys',
    column: 'previous_key_sealed',
    key: ofAccount,
    associatedDataOf: associatedDataOfFullKey, // a roll moves the sealed text from the other column
  },
  {
    table: 'provider_credentials',
    column: 'api_key_sealed',
    key: ofAccount,
    associatedDataOf: (accountId: string, id: string) => associatedDataOfApiKey({ accountId, id }),
  },
  {
    table: 'provider_credentials',
    column: 'config_secrets_sealed',
    key: ofAccount,
    associatedDataOf: (accountId: string, id: string) => associatedDataOfConfigSecrets({ accountId, id }),
  },
  {
    table: 'callback_secrets',
    column: 'secret_sealed',
    key: ofAccount,
    associatedDataOf: associatedDataOfCallbackSecret,
  },
  {
    table: 'second_factors',
    column: 'secret_sealed',
    key: { user_id: 'uuid', id: 'uuid' },
    associatedDataOf: associatedDataOfTotpSecret,
  },
]

/** The progress with a column. */
export interface Progress {
  rewrapped: number
  /** Rows whose secret does not open. */
  faulty: string[]
}

interface SealedRow {
  /** The values of the primary key. */
  key: string[]
  sealed: Uint8Array
}

/**
 * Encrypts the secrets of a column with the current master key, in batches of one transaction each. Skips secrets that use
 * the current key already, so it can be stopped at any moment and run again, and keeps rows that changed during the run.
 * `onBatch` receives the progress after every batch.
 */
export async function rewrapColumn(
  { sql, vault }: { sql: Sql; vault: Vault },
  column: SealedColumn,
  options: { batchRows: number; onBatch(progress: Progress): void },
): Promise<Progress> {
  const progress: Progress = { rewrapped: 0, faulty: [] }
  let last: SealedRow | undefined
  while (true) {
    const rows = await readBatch(sql, column, { vault, after: last, batchRows: options.batchRows })
    if (rows.length === 0) return progress
    const wrapped = rows.flatMap(row => rewrap(vault, column, row, progress))
    progress.rewrapped += await writeBatch(sql, column, wrapped)
    options.onBatch(progress)
    last = rows.at(-1)
  }
}

/** Rows behind `after`, by their key, that another master key wrapped. */
async function readBatch(
  sql: Sql,
  { table, column, key }: SealedColumn,
  { vault, after, batchRows }: { vault: Vault; after: SealedRow | undefined; batchRows: number },
): Promise<SealedRow[]> {
  const names = Object.keys(key)
  const list = names.join(', ')
  const behind = after ? `and (${list}) > (${names.map((_, index) => `$${index + 2}`).join(', ')})` : ''
  return sql.unsafe<SealedRow[]>(
    `select array[${names.map(name => `${name}::text`).join(', ')}] as key, ${column} as sealed from ${table}
     where ${column} is not null and substring(${column} from 1 for ${vault.header.length}) <> $1 ${behind}
     order by ${list} limit ${batchRows}`,
    [vault.header, ...(after?.key ?? [])],
  )
}

function rewrap(vault: Vault, column: SealedColumn, { key, sealed }: SealedRow, { faulty }: Progress) {
  try {
    const rewrapped = vault.rewrap(sealed, column.associatedDataOf(...key))
    const named = Object.keys(column.key).map((name, index) => [name, key[index]] as const)
    return [{ ...Object.fromEntries(named), sealed: hex(sealed), rewrapped: hex(rewrapped) }]
  } catch {
    faulty.push(key.join('/'))
    return []
  }
}

/** Writes a batch where the rows still hold what was read; locks them in the order of their key. */
async function writeBatch(
  sql: Sql,
  { table, column, key }: SealedColumn,
  rows: readonly object[],
): Promise<number> {
  const names = Object.keys(key)
  const same = (one: string, other: string) =>
    names.map(name => `${one}.${name} = ${other}.${name}`).join(' and ')
  const written = await sql.unsafe(
    `with locked as materialized (
       select ${names.map(name => `t.${name}`).join(', ')}, decode(g.rewrapped, 'hex') as rewrapped
       from json_to_recordset($1::text::json) as g (
         ${names.map(name => `${name} ${key[name]}`).join(', ')}, sealed text, rewrapped text
       )
       join ${table} t on ${same('t', 'g')} and t.${column} = decode(g.sealed, 'hex')
       order by ${names.map(name => `t.${name}`).join(', ')} for no key update of t
     )
     update ${table} t set ${column} = l.rewrapped from locked l where ${same('t', 'l')}`,
    [JSON.stringify(rows)],
  )
  return written.count
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
