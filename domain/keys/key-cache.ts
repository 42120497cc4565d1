import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { withTimeout } from '../../platform/with-timeout.ts'
import { type AllowsAddress, compileIpAllowList } from './ip-allow-list.ts'
import { maxKeyAgeMs } from './key-revision.ts'

/** Keys that do not exist are remembered for so long, by the HMAC of their whole text. */
const unknownLifeMs = 2_000
const maxUnknown = 10_000

/** Copies of keys in use are read again this often, all in one statement. */
const refreshMs = 350

/** A reading that takes longer has failed: others wait behind it. */
const readPatienceMs = 2_000

/** This process's copies of the keys in use. A copy is never older than its life when it is answered. */
export interface KeyCache {
  /** A key by its public id, at most `maxKeyAgeMs` old; undefined when there is none. Throws when Postgres is away. */
  find(publicId: string, hmac: Buffer): Promise<CachedKey | undefined>
  /** The key as Postgres has it now. */
  read(publicId: string): Promise<CachedKey | undefined>
  close(): void
}

interface Entry {
  copy: CachedKey
  readAt: number
  usedAt: number
}

/**
 * Opens a cache over `sql`; `now` is the monotonic clock, `changed` is told of each key of which a newer copy is read.
 */
export function openKeyCache(
  sql: Sql,
  now: () => number,
  changed: (copy: CachedKey) => void = () => {},
): KeyCache {
  const entries = new Map<string, Entry>()
  const unknown = new Map<string, number>()
  const readings = new GroupCommit<string, CachedKey | undefined>(async publicIds => {
    const readAt = now()
    const copies = await withTimeout(readPatienceMs, readKeys(sql, [...new Set(publicIds)], readAt))
    const found = new Map(copies.map(copy => [copy.publicId, copy]))
    for (const publicId of publicIds) {
      const copy = found.get(publicId)
      const known = entries.get(publicId)
      if (copy && known && known.copy.revision !== copy.revision) changed(copy)
      if (copy) entries.set(publicId, { copy, readAt, usedAt: known?.usedAt ?? readAt })
      else entries.delete(publicId)
    }
    return publicIds.map(publicId => found.get(publicId))
  })

  const refresh = async () => {
    const at = now()
    const inUse: string[] = []
    for (const [publicId, entry] of entries) {
      if (at - entry.usedAt < 2 * refreshMs) inUse.push(publicId)
      else if (at - entry.readAt > maxKeyAgeMs) entries.delete(publicId)
    }
    await Promise.all(inUse.map(publicId => readings.add(publicId)))
  }
  const timer = setInterval(() => void refresh().catch(() => {}), refreshMs)

  return {
    async find(publicId, hmac) {
      const at = now()
      const entry = entries.get(publicId)
      if (entry && at - entry.readAt < maxKeyAgeMs) {
        entry.usedAt = at
        return entry.copy
      }
      const hash = hmac.toString('base64')
      if ((unknown.get(hash) ?? 0) > at) return undefined
      const copy = await readings.add(publicId)
      if (!copy) remember(unknown, hash, at + unknownLifeMs)
      return copy
    },
    read: publicId => readings.add(publicId),
    close: () => clearInterval(timer),
  }
}

function remember(unknown: Map<string, number>, hash: string, until: number): void {
  if (unknown.size >= maxUnknown) unknown.delete(unknown.keys().next().value!)
  unknown.set(hash, until)
}

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
