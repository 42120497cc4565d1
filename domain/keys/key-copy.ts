import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { type AllowsAddress, compileIpAllowList } from './ip-allow-list.ts'

/** What the hot path knows of a key. */
export interface KeyCopy {
  accountId: string
  keyId: string
  publicId: string
  hmac: Uint8Array
  isProvisioning: boolean
  disabled: boolean
  isRevoked: boolean
  /** Milliseconds since 1970. */
  expiresAt: number | null
  allowsAddress: AllowsAddress
  rpm: number | null
  tph: number | null
  tpd: number | null
  /** The account's own share of new requests per window; null is the platform's. */
  rateRequests: number | null
  /** Of the account's own credentials: zero where there never was one (`domain/byok`). */
  byokRevision: bigint
  revision: bigint
}

interface KeyRow {
  account_id: string
  id: string
  public_id: string
  key_hmac: Uint8Array
  is_provisioning: boolean
  disabled: boolean
  is_revoked: boolean
  expires_at: Date | null
  ip_whitelist: string[]
  rate_limit_rpm: bigint | null
  rate_limit_tph: bigint | null
  rate_limit_tpd: bigint | null
  rate_requests: number | null
  byok_revision: bigint
  revision: bigint
}

/** Reads keys by their public ids, as one statement; an id that nobody has is missing in the answer. */
export async function readKeyCopies(sql: Sql, publicIds: string[]): Promise<KeyCopy[]> {
  const rows = await sql<KeyRow[]>`
    select k.account_id, k.id, k.public_id, k.key_hmac, k.is_provisioning, k.disabled,
      k.revoked_at is not null as is_revoked, k.expires_at, k.ip_whitelist, k.rate_limit_rpm, k.rate_limit_tph,
      k.rate_limit_tpd, a.rate_requests, a.byok_revision, k.revision
    from api_keys k join accounts a on a.id = k.account_id
    where k.public_id = any(${publicIds})`
  return rows.map(row => ({
    accountId: row.account_id,
    keyId: row.id,
    publicId: row.public_id,
    hmac: row.key_hmac,
    isProvisioning: row.is_provisioning,
    disabled: row.disabled,
    isRevoked: row.is_revoked,
    expiresAt: row.expires_at?.getTime() ?? null,
    allowsAddress: compileIpAllowList(row.ip_whitelist),
    rpm: limitOf(row.rate_limit_rpm),
    tph: limitOf(row.rate_limit_tph),
    tpd: limitOf(row.rate_limit_tpd),
    rateRequests: row.rate_requests,
    byokRevision: row.byok_revision,
    revision: row.revision,
  }))
}

function limitOf(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}
