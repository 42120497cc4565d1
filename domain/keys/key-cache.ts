import { LRUCache } from 'lru-cache'
import { withTimeout } from '../../platform/clock.ts'
import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { AccountRefusal } from '../../schema/entities/accounts.ts'
import type { KeyScope } from '../../schema/entities/keys.ts'
import type { Standing } from '../allowances/allowances.ts'
import { ownAllowancesOf } from '../allowances/standing.ts'
import { type AllowsAddress, compileIpAllowList } from './ip-allow-list.ts'
import { maxComparedKeyAgeMs, maxKeyAgeMs } from './key-revision.ts'
import { matchesHmac } from './key-text.ts'
import { compileModelRules, type ModelRules } from './model-rules.ts'

/**
 * The time for which an unknown key is remembered by its HMAC, in milliseconds, and the maximum number of such keys.
 */
const unknownTtlMs = 2_000
const maxUnknown = 10_000

/** Maximum number of keys of which this process has copies. */
const maxCopies = 10_000

/** Interval at which the revisions of copies are compared with Postgres by one statement, in milliseconds. */
const refreshMs = 350

/**
 * The time after its last use for which a copy stays younger than `maxComparedKeyAgeMs`, in milliseconds. A copy in constant
 * use stays younger than `maxKeyAgeMs`.
 */
const keptMs = 10_000

/**
 * The age at which a copy in use is read again although its revision is current, in milliseconds. Spending the last credits
 * does not raise a revision.
 */
const rereadMs = 30_000

/**
 * Maximum duration of a statement, and of a caller's wait including its time in the queue, in milliseconds. Each batch
 * waits for the statement before it.
 */
const readTimeoutMs = 2_000

/** The keys that this process uses, as copies of their rows. */
export interface KeyCache {
  /** Returns the cached key if this process has it, at most `maxAgeMs` old; `maxKeyAgeMs` by default. */
  known(publicId: string, maxAgeMs?: number): CachedKey | undefined
  /**
   * Finds a key by its public ID, at most `maxKeyAgeMs` old. Resolves to undefined if it does not exist. Throws if
   * Postgres does not respond within two seconds.
   */
  find(publicId: string, hmac: Buffer): Promise<CachedKey | undefined>
  /** Reads the key from Postgres now. */
  read(publicId: string): Promise<CachedKey | undefined>
  close(): void
}

interface Entry {
  key: CachedKey
  readAt: number
  /** When the copy was last read, or found to have the current revision. */
  confirmedAt: number
  usedAt: number
}

/** Opens a cache. `now` is the monotonic clock. */
export function openKeyCache(sql: Sql, now: () => number): KeyCache {
  const entries = new LRUCache<string, Entry>({ max: maxCopies })
  const unknown = new LRUCache<string, number>({ max: maxUnknown })
  const reads = new GroupCommit<string, CachedKey | undefined>(async publicIds => {
    const readAt = now()
    const keys = await withTimeout(readTimeoutMs, readKeys(sql, [...new Set(publicIds)], readAt))
    const found = new Map(keys.map(key => [key.publicId, key]))
    for (const publicId of publicIds) {
      const key = found.get(publicId)
      const entry = entries.peek(publicId) // reading a key again is no use of it
      if (!key) entries.delete(publicId)
      else if (entry) Object.assign(entry, { key, readAt, confirmedAt: readAt })
      else entries.set(publicId, { key, readAt, confirmedAt: readAt, usedAt: readAt })
    }
    return publicIds.map(publicId => found.get(publicId))
  })

  const read = (publicId: string) => withTimeout(readTimeoutMs, reads.add(publicId))
  const refresh = async () => {
    const at = now()
    const inUse: Entry[] = []
    for (const entry of entries.values()) {
      const idleMs = at - entry.usedAt
      if (idleMs >= keptMs) break // the others were used even earlier
      if (idleMs < 2 * refreshMs || at - entry.confirmedAt >= maxComparedKeyAgeMs / 2) inUse.push(entry)
    }
    const isOld = (entry: Entry) => at - entry.readAt >= rereadMs
    const compared = inUse.filter(entry => !isOld(entry))
    const changed = await withTimeout(readTimeoutMs, findChanged(sql, compared))
    for (const entry of compared)
      if (!changed.has(entry.key.publicId)) entry.confirmedAt = Math.max(entry.confirmedAt, at)
    const old = inUse.filter(isOld).map(({ key }) => key.publicId)
    await Promise.all([...changed, ...old].map(publicId => reads.add(publicId)))
  }
  let isRefreshing = false
  const timer = setInterval(async () => {
    if (isRefreshing) return
    isRefreshing = true
    await refresh().catch(() => {})
    isRefreshing = false
  }, refreshMs)

  const known = (publicId: string, maxAgeMs = maxKeyAgeMs) => {
    const at = now()
    const entry = entries.get(publicId)
    if (!entry) return undefined
    entry.usedAt = at // also if it is too old: `get` has made it the latest one
    return at - entry.confirmedAt < maxAgeMs ? entry.key : undefined
  }

  return {
    known,
    async find(publicId, hmac) {
      const copy = known(publicId)
      if (copy) return copy
      const at = now()
      const hash = hmac.toString('base64')
      if ((unknown.get(hash) ?? 0) > at) return undefined
      const key = await read(publicId)
      if (!key) unknown.set(hash, at + unknownTtlMs)
      return key
    },
    read,
    close: () => clearInterval(timer),
  }
}

/**
 * Whether presented HMACs match the key's secret, or its previous secret until it ends. `now` is on the monotonic
 * clock. Takes the same time if there is no key.
 */
export function isSecretOf(
  key: CachedKey | undefined,
  { hmacs, now }: { hmacs: readonly Buffer[]; now: number },
): key is CachedKey {
  if (matchesHmac(hmacs, key?.hmac)) return true
  const previous = key?.previous
  return previous !== undefined && now < previous.endsAt && matchesHmac(hmacs, previous.hmac)
}

/** Returns the public IDs of the copies whose key has another revision by now, or no longer exists. */
async function findChanged(sql: Sql, copies: readonly { key: CachedKey }[]): Promise<Set<string>> {
  if (copies.length === 0) return new Set()
  const publicIds = copies.map(({ key }) => key.publicId)
  const revisions = copies.map(({ key }) => String(key.revision))
  const rows = await sql<{ publicId: string }[]>`
    select public_id as "publicId" from changed_keys(${publicIds}, ${revisions}::bigint[])`
  return new Set(rows.map(({ publicId }) => publicId))
}

/** The facts about a key that an inference request needs. */
export interface CachedKey extends Standing {
  keyId: string
  publicId: string
  hmac: Uint8Array
  /** The secret before the last roll, until it ends on the monotonic clock. */
  previous: { hmac: Uint8Array; endsAt: number } | undefined
  /** The member who owns the key; null if the account does. */
  ownerId: string | null
  isProvisioning: boolean
  /** The scopes of a provisioning key; empty for ordinary keys. */
  scopes: KeyScope[]
  disabled: boolean
  isRevoked: boolean
  /** The error with which the account's keys are refused, if an operator suspended or closed it. */
  accountRefusal: AccountRefusal | null
  /**
   * When the key expires, on this process's monotonic clock; null means never. It is derived from the remaining time by
   * Postgres's clock, so that the process's own wall clock does not matter.
   */
  expiresAt: number | null
  allowsAddress: AllowsAddress
  /** The models that the key may call; undefined if it may call every model. */
  modelRules: ModelRules | undefined
  rpm: number | null
  tph: number | null
  tpd: number | null
  /** The revision of the account's own credentials; zero if it never had any (`domain/byok`). */
  byokRevision: bigint
  /** The revision of the account's budgets; zero if it never had any (`domain/budgets`). */
  budgetRevision: bigint
  /** Whether the account had credits when the key was read. A process that is nearly full prefers such requests. */
  hasCredits: boolean
  /**
   * Whether a member of the account has confirmed an e-mail address, or the account has no members here because a
   * foreign issuer logs users in.
   */
  isConfirmed: boolean
  revision: bigint
}

interface KeyRow {
  account_id: string
  id: string
  public_id: string
  key_hmac: Uint8Array
  previous_hmac: Uint8Array | null
  /** The time until the previous secret ends, by Postgres's clock, in milliseconds. */
  previous_ends_in_ms: number | null
  owner_id: string | null
  is_provisioning: boolean
  scopes: KeyScope[]
  disabled: boolean
  is_revoked: boolean
  account_refusal: AccountRefusal | null
  /** The time until the key expires, by Postgres's clock, in milliseconds. */
  expires_in_ms: number | null
  ip_whitelist: string[]
  allowed_models: string[]
  allowed_vendors: string[]
  rate_limit_rpm: bigint | null
  rate_limit_tph: bigint | null
  rate_limit_tpd: bigint | null
  allowances: Record<string, number>
  is_paying: boolean
  byok_revision: bigint
  budget_revision: bigint
  has_credits: boolean
  is_confirmed: boolean
  revision: bigint
}

/**
 * Reads keys by their public IDs with one statement. Unknown IDs are missing in the result. `readAt` is the current
 * time of the monotonic clock.
 */
export async function readKeys(sql: Sql, publicIds: string[], readAt: number): Promise<CachedKey[]> {
  const rows = await sql<KeyRow[]>`select * from read_keys(${publicIds})`
  return rows.map(row => ({
    accountId: row.account_id,
    keyId: row.id,
    publicId: row.public_id,
    hmac: row.key_hmac,
    previous: previousOf(row, readAt),
    ownerId: row.owner_id,
    isProvisioning: row.is_provisioning,
    scopes: row.scopes,
    disabled: row.disabled,
    isRevoked: row.is_revoked,
    accountRefusal: row.account_refusal,
    expiresAt: row.expires_in_ms === null ? null : readAt + row.expires_in_ms,
    allowsAddress: compileIpAllowList(row.ip_whitelist),
    modelRules: compileModelRules(row.allowed_models, row.allowed_vendors),
    rpm: limitOf(row.rate_limit_rpm),
    tph: limitOf(row.rate_limit_tph),
    tpd: limitOf(row.rate_limit_tpd),
    ownAllowances: ownAllowancesOf(row.allowances),
    isPaying: row.is_paying,
    byokRevision: row.byok_revision,
    budgetRevision: row.budget_revision,
    hasCredits: row.has_credits,
    isConfirmed: row.is_confirmed,
    revision: row.revision,
  }))
}

function previousOf({ previous_hmac: hmac, previous_ends_in_ms: endsInMs }: KeyRow, readAt: number) {
  return hmac === null || endsInMs === null ? undefined : { hmac, endsAt: readAt + endsInMs }
}

function limitOf(value: bigint | null): number | null {
  return value === null ? null : Number(value)
}
