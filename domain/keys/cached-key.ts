import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { type AllowsAddress, compileIpAllowList } from './ip-allow-list.ts'

/** What the hot path knows of a key. */
export interface CachedKey {
  accountId: string
  keyId: string
  publicId: string
  hmac: Uint8Array
  isProvisioning: boolean
  disabled: boolean
  isRevoked: boolean
  /** On this process's monotonic clock: Postgres said how long it has, and no wall clock of ours is asked. */
  expiresAt: number | null
  allowsAddress: AllowsAddress
  rpm: number | null
  tph: number | null
  tpd: number | null
  /** The account's own share of new requests per window; null is the platform's. */
  rateRequests: number | null
  /** Of the account's own credentials: zero where there never was one (`domain/byok`). */
  byokRevision: bigint
  /** Whether its account had credits when this was read: how much it may ask of a process that is nearly full. */
  hasCredits: boolean
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
  /** Milliseconds that it has left, by the clock of Postgres. */
  expires_in_ms: number | null
  ip_whitelist: string[]
  rate_limit_rpm: bigint | null
  rate_limit_tph: bigint | null
  rate_limit_tpd: bigint | null
  rate_requests: number | null
  byok_revision: bigint
  has_credits: boolean
  revision: bigint
}

/**
 * Reads keys by their public ids, as one statement; an id that nobody has is missing in the answer. `readAt` is now, on
 * the monotonic clock.
 */
export async function readKeys(sql: Sql, publicIds: string[], readAt: number): Promise<CachedKey[]> {
  const rows = await sql<KeyRow[]>`
    select k.account_id, k.id, k.public_id, k.key_hmac, k.is_provisioning, k.disabled,
      k.revoked_at is not null as is_revoked, 
      (extract(epoch from k.expires_at - clock_timestamp()) * 1000)::float8 as expires_in_ms, k.ip_whitelist, k.rate_limit_rpm, k.rate_limit_tph,
      k.rate_limit_tpd, a.rate_requests, a.byok_revision, coalesce(b.credits_nanos > 0, false) as has_credits, k.revision
    from api_keys k join accounts a on a.id = k.account_id left join balances b on b.account_id = k.account_id
    where k.public_id = any(${publicIds})`
  return rows.map(row => ({
    accountId: row.account_id,
    keyId: row.id,
    publicId: row.public_id,
    hmac: row.key_hmac,
    isProvisioning: row.is_provisioning,
    disabled: row.disabled,
    isRevoked: row.is_revoked,
    expiresAt: row.expires_in_ms === null ? null : readAt + row.expires_in_ms,
    allowsAddress: compileIpAllowList(row.ip_whitelist),
    rpm: limitOf(row.rate_limit_rpm),
    tph: limitOf(row.rate_limit_tph),
    tpd: limitOf(row.rate_limit_tpd),
    rateRequests: row.rate_requests,
    byokRevision: row.byok_revision,
    hasCredits: row.has_credits,
    revision: row.revision,
  }))
}

function limitOf(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}
