import type { ByokProvider } from '../../../schema/entities/provider-credentials.ts'
import type { JsonObject } from '../../../schema/json.ts'
import type { Context } from '../../context.ts'
import { joinConfig, splitConfig } from '../config/split-config.ts'
import { openCredential } from '../sealing/seal-credential.ts'
import { readVendorCredential } from '../vendors/vendor-credential.ts'

/** A credential of the account's own, ready to be tried. */
export interface Candidate {
  accountId: string
  id: string
  vendor: ByokProvider
  /** Empty where the configuration carries the credential. */
  apiKey: string
  /** Null is the vendor's own address. */
  baseUrl: string | null
  /** What else the vendor's adapter takes, under the names of `vendors/`. */
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
