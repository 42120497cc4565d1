import { LRUCache } from 'lru-cache'
import { withTimeout } from '../../platform/clock.ts'
import { GroupCommit } from '../../platform/group-commit.ts'
import { type ErrorName, Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'
import { type CredentialFailure, cannotBeOpened, describeFailure, openOutcomes } from './record-outcomes.ts'
import {
  type CredentialQuery,
  type CredentialRow,
  type CredentialRows,
  readCredentialRows,
  type UsableCredential,
  usableCredential,
} from './usable-credentials.ts'

/** The accounts' credentials that this process uses, with their secrets decrypted. */
export interface ByokCache {
  /**
   * Finds the account's enabled credentials for a vendor, in the order in which they are tried: highest priority first,
   * then newest first. `byokRevision` is part of the key's record. If it is zero, or not newer than the cached
   * revision, nothing is read. Throws `unavailable` if Postgres does not respond, `upstream_auth` if a credential with
   * `always_use` cannot be decrypted, and `byok_disabled` if a credential has `always_use` and all are disabled.
   */
  find(accountId: string, byokRevision: bigint, vendor: string): Promise<readonly UsableCredential[]>
  /**
   * Records the outcome of a call with a credential: a success sets `last_used_at` and clears `last_error`, a failure
   * sets `last_error`. Resolves when the outcome is written or queued. A row whose outcome does not change is written
   * at most once a second.
   */
  recordOutcome(credential: UsableCredential, failure?: CredentialFailure): Promise<void>
  /** Writes the queued outcomes, and drops every secret. */
  close(): Promise<void>
}

/**
 * The time for which unused credentials are kept, in milliseconds, and the maximum number of entries. Beyond it, the
 * oldest are dropped.
 */
const idleMs = 10 * 60_000
const maxEntries = 10_000

/** Maximum duration of a statement, and of a request's wait including its time in the queue, in milliseconds. */
const readTimeoutMs = 2_000

interface Entry {
  revision: bigint
  credentials: readonly UsableCredential[]
  /**
   * The error of every request, if a credential with `always_use` cannot be decrypted or all credentials are disabled.
   */
  refusal: ErrorName | undefined
  usedAt: number
}

/** Opens this process's cache. */
export function openByokCache(
  context: Pick<Context, 'sql' | 'vault' | 'config' | 'clock' | 'log'>,
): ByokCache {
  const { sql, clock, log } = context
  const entries = new LRUCache<string, Entry>({ max: maxEntries })
  const outcomes = openOutcomes(context)
  const reads = new GroupCommit<CredentialQuery, CredentialRows>(queries =>
    withTimeout(readTimeoutMs, readCredentialRows(sql, queries)),
  )
  const sweeper = setInterval(() => dropIdle(entries, clock.monotonic()), idleMs / 10).unref()

  const read = async (query: CredentialQuery): Promise<Entry> => {
    const { revision, rows } = await withTimeout(readTimeoutMs, reads.add(query)).catch(cause => {
      throw new Problem('unavailable', { retryAfterSeconds: 1, cause })
    })
    const enabled = rows.filter(row => !row.disabled)
    const opened = enabled.map(row => openRow(row))
    const alwaysUse = rows.some(row => row.always_use)
    const isUnopened = enabled.some((row, index) => row.always_use && !opened[index])
    return {
      revision,
      credentials: opened
        .filter(credential => credential !== undefined)
        .map(credential => ({ ...credential, alwaysUse })),
      refusal: isUnopened ? 'upstream_auth' : alwaysUse && enabled.length === 0 ? 'byok_disabled' : undefined,
      usedAt: clock.monotonic(),
    }
  }

  const openRow = (row: CredentialRow): UsableCredential | undefined => {
    try {
      return usableCredential(context, row)
    } catch (failure) {
      log.error({ err: failure, byokId: row.id }, 'a credential cannot be decrypted')
      const { account_id: accountId, id } = row
      void outcomes.record({ accountId, id, usedAt: null, error: cannotBeOpened })
      return undefined
    }
  }

  return {
    async find(accountId, byokRevision, vendor) {
      if (byokRevision === 0n) return []
      const name = `${accountId} ${vendor}`
      let entry = entries.get(name)
      if (!entry || entry.revision < byokRevision) {
        entry = await read({ accountId, vendor })
        store(entries, name, entry)
      }
      entry.usedAt = clock.monotonic()
      if (entry.refusal)
        throw new Problem(entry.refusal, { internal: 'a credential with always_use cannot be used' })
      return entry.credentials
    },
    async recordOutcome(credential, failure) {
      const { accountId, id } = credential
      const error = failure ? describeFailure(credential, failure) : null
      await outcomes.record({ accountId, id, usedAt: failure ? null : clock.now(), error })
    },
    async close() {
      clearInterval(sweeper)
      entries.clear()
      await outcomes.close()
    },
  }
}

/** Stores an entry, unless a concurrent read has stored one with a higher revision. */
function store(entries: LRUCache<string, Entry>, name: string, entry: Entry): void {
  const known = entries.get(name)
  if (known && known.revision > entry.revision) return
  entries.set(name, entry)
}

function dropIdle(entries: LRUCache<string, Entry>, now: number): void {
  for (const [name, { usedAt }] of entries) if (now - usedAt > idleMs) entries.delete(name)
}
