import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { ByokProvider } from '../../schema/entities/byok.ts'
import type { JsonObject } from '../../schema/json.ts'
import type { Context } from '../context.ts'
import { openCredential } from './seal-credential.ts'
import { joinConfig, splitConfig } from './split-config.ts'
import { readVendorCredential } from './vendor-credential.ts'

/** A credential of the account's own, ready to be tried. */
export interface Candidate {
  accountId: string
  id: string
  vendor: ByokProvider
  /** Empty where the configuration carries the credential. */
  apiKey: string
  /** Null is the vendor's own address. */
  baseUrl: string | null
  /** What else the vendor's adapter takes, under the names of `vendor-credential.ts`. */
  config: JsonObject
  /** Every secret among these: what a vendor's words may never repeat. */
  secrets: readonly string[]
  /**
   * The platform's credential is not fallen back to: this one says so, or another of the account's for the vendor, be
   * it disabled.
   */
  alwaysUse: boolean
}

/** What the hot path reads of a row. */
export interface CandidateRow {
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

/** Makes a row ready. Throws when its secrets do not open, or its vendor cannot take it any more. */
export function candidateOf(context: Pick<Context, 'vault' | 'config'>, row: CandidateRow): Candidate {
  const { account_id: accountId, id, provider, always_use: alwaysUse } = row
  const opened = openCredential(context, {
    accountId,
    id,
    apiKeySealed: row.api_key_sealed && Buffer.from(row.api_key_sealed),
    config: row.config,
    configSecretsSealed: row.config_secrets_sealed && Buffer.from(row.config_secrets_sealed),
  })
  const baseUrl = row.base_url && new URL(row.base_url).href.replace(/\/+$/, '')
  const given = { apiKey: opened.apiKey, baseUrl, config: opened.config ? joinConfig(opened.config) : null }
  const { apiKey, config } = readVendorCredential(provider, given, context.config)
  const secrets = [apiKey, ...splitConfig(config).secrets.map(({ value }) => String(value))]
  return { accountId, id, vendor: provider, apiKey, baseUrl, config, secrets, alwaysUse }
}

/** Whose credentials, for which vendor. */
export interface CandidateQuestion {
  accountId: string
  vendor: string
}

/** The credentials of an account for a vendor that are enabled, or must be used; and the revision that they are of. */
export interface CandidateRows {
  revision: bigint
  /** By priority, highest first, then newest first (contract: BYOK, runtime behaviour). */
  rows: CandidateRow[]
}

/** One row a credential, or one without a credential where there is none. */
type Row = CandidateRow | { id: null }

/** Answers many questions by one statement, in their order: rows and revision are of one moment. */
export async function readCandidates(sql: Sql, questions: CandidateQuestion[]): Promise<CandidateRows[]> {
  const accountIds = questions.map(({ accountId }) => accountId)
  const vendors = questions.map(({ vendor }) => vendor)
  const rows = await sql<(Row & { turn: number; revision: bigint })[]>`
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
  return questions.map((_, index) => {
    const own = byTurn.get(index + 1) ?? []
    return { revision: own[0]?.revision ?? 0n, rows: own.filter(row => row.id !== null) }
  })
}

/** One credential of an account, disabled or not; undefined where there is none. */
export async function readCandidate(
  sql: Sql,
  { accountId, id }: { accountId: string; id: string },
): Promise<CandidateRow | undefined> {
  const [row] = await sql<CandidateRow[]>`
    select account_id, id, provider, api_key_sealed, base_url, config, config_secrets_sealed, always_use, disabled
    from provider_credentials where account_id = ${accountId} and id = ${id}`
  return row
}
