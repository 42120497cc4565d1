import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { Secrets } from '../../platform/secrets/redact-secrets.ts'
import type { ByokProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import type { Context } from '../context.ts'
import { openCredential } from './seal-credential.ts'
import { joinConfig, splitConfig } from './split-config.ts'
import { readVendorCredential } from './vendor-credential.ts'

/** An account's own credential with its secrets decrypted, ready to use. */
export interface UsableCredential {
  accountId: string
  id: string
  vendor: ByokProvider
  /** The API key. Empty if the configuration contains the secrets. */
  apiKey: string
  /** The base URL. Null means the vendor's default URL. */
  baseUrl: string | null
  /** The other settings for the vendor's adapter, under the names in `vendor-credential.ts`. */
  config: JsonObject
  /** All secrets of the credential, so that none appears in an error message. */
  secrets: Secrets
  /**
   * Whether the platform's credential is not used as a fallback: this credential, or another one of the account for the
   * same vendor, has `always_use`, even if it is disabled.
   */
  alwaysUse: boolean
}

/** The columns that a usable credential is read from. */
export interface CredentialRow {
  account_id: string
  id: string
  provider: ByokProvider
  api_key_sealed: Uint8Array | null
  base_url: string | null
  config: JsonObject | null
  config_secrets_sealed: Uint8Array | null
  always_use: boolean
  disabled: boolean
}

/**
 * Decrypts the secrets of a row. Throws if they cannot be decrypted, or if the vendor's adapter does not accept them.
 */
export function usableCredential(
  context: Pick<Context, 'vault' | 'config'>,
  row: CredentialRow,
): UsableCredential {
  const { account_id: accountId, id, provider, always_use: alwaysUse } = row
  const opened = openCredential(context, {
    accountId,
    id,
    apiKeySealed: row.api_key_sealed && Buffer.from(row.api_key_sealed),
    config: row.config,
    configSecretsSealed: row.config_secrets_sealed && Buffer.from(row.config_secrets_sealed),
  })
  const baseUrl = row.base_url && new URL(row.base_url).href.replace(/\/+$/, '')
  const parts = { apiKey: opened.apiKey, baseUrl, config: opened.config ? joinConfig(opened.config) : null }
  const { apiKey, config } = readVendorCredential(provider, parts, context.config)
  const secrets = new Secrets([apiKey, ...splitConfig(config).secrets.map(({ value }) => String(value))])
  return { accountId, id, vendor: provider, apiKey, baseUrl, config, secrets, alwaysUse }
}

/** The account and vendor whose credentials are read. */
export interface CredentialQuery {
  accountId: string
  vendor: string
}

/** The credentials of an account for a vendor: all enabled ones, and the disabled ones with `always_use`. */
export interface CredentialRows {
  /** The revision of the account's credentials at which these rows were read. */
  revision: bigint
  /** In the order in which they are tried: highest priority first, then newest first. */
  rows: CredentialRow[]
}

/**
 * Runs many queries as one statement, and returns their results in order. Rows and revision are consistent with each
 * other.
 */
export async function readCredentialRows(sql: Sql, queries: CredentialQuery[]): Promise<CredentialRows[]> {
  const accountIds = queries.map(({ accountId }) => accountId)
  const vendors = queries.map(({ vendor }) => vendor)
  // One row per credential, or one row without an ID if there is none.
  const rows = await sql<((CredentialRow | { id: null }) & { turn: number; revision: bigint })[]>`
    select q.turn::integer as turn, a.byok_revision as revision, a.id as account_id, c.id, c.provider,
      c.api_key_sealed, c.base_url, c.config, c.config_secrets_sealed, c.always_use,
      c.disabled
    from unnest(${accountIds}::uuid[], ${vendors}::text[]) with ordinality as q (account_id, provider, turn)
    join accounts a on a.id = q.account_id
    left join provider_credentials c
      on c.account_id = q.account_id and c.provider = q.provider
        and (c.always_use or not c.disabled)
    order by q.turn, c.priority desc, c.created_at desc, c.id desc`
  const byTurn = Map.groupBy(rows, ({ turn }) => turn)
  return queries.map((_, index) => {
    const own = byTurn.get(index + 1) ?? []
    return { revision: own[0]?.revision ?? 0n, rows: own.filter(row => row.id !== null) }
  })
}

/** Reads one credential of an account, even a disabled one. Returns undefined if it does not exist. */
export async function readCredentialRow(
  sql: Sql,
  { accountId, id }: { accountId: string; id: string },
): Promise<CredentialRow | undefined> {
  const [row] = await sql<CredentialRow[]>`
    select account_id, id, provider, api_key_sealed, base_url, config, config_secrets_sealed, always_use, disabled
    from provider_credentials where account_id = ${accountId} and id = ${id}`
  return row
}
