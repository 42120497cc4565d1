import { GroupCommit } from '../../platform/group-commit.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { redactSecrets } from '../../platform/secrets/redact-secrets.ts'
import type { Context } from '../context.ts'
import type { UsableCredential } from './usable-credentials.ts'

/** The outcome of a call with a credential. */
export interface CredentialOutcome {
  accountId: string
  id: string
  /** When the call succeeded, in milliseconds since 1970; null if it failed. */
  usedAt: number | null
  /** The error of the call; null if it succeeded. */
  error: string | null
}

/** The error of a credential whose secrets cannot be decrypted. */
export const cannotBeOpened = 'The credential cannot be decrypted. Write its secrets again.'

/** Writes `last_used_at` and `last_error` of the credentials in use. */
export interface Outcomes {
  /**
   * Queues an outcome. Resolves when it is written or queued. Never rejects: an outcome that cannot be written is
   * logged.
   */
  record(outcome: CredentialOutcome): Promise<void>
  /** Writes the queued outcomes. */
  close(): Promise<void>
}

/** Minimum time between two writes of a row, in milliseconds: if the outcome stays the same, and if it changes. */
const samePauseMs = 1_000
const changePauseMs = 100

/** Maximum number of known rows. Above it, rows without a queued outcome are dropped. */
const maxRows = 10_000

/** The known state of one row. */
interface RowState {
  /** When the row was last written, by the monotonic clock. */
  writtenAt: number
  error: string | null
  queued: CredentialOutcome | undefined
  timer: NodeJS.Timeout | undefined
}

/** Opens the recorder. Outcomes that arrive while a statement runs are written together by the next one. */
export function openOutcomes({ sql, clock, log }: Pick<Context, 'sql' | 'clock' | 'log'>): Outcomes {
  const rows = new Map<string, RowState>()
  const writes = new GroupCommit<CredentialOutcome, void>(async outcomes => {
    await writeOutcomes(sql, outcomes)
    return outcomes.map(() => undefined)
  })

  const write = async (outcome: CredentialOutcome): Promise<void> => {
    if (rows.size > maxRows) dropIdle(rows, clock.monotonic())
    const { id, error } = outcome
    rows.set(id, { writtenAt: clock.monotonic(), error, queued: undefined, timer: undefined })
    await writes
      .add(outcome)
      .catch(failure =>
        log.warn({ err: failure, byokId: id }, 'the outcome of a credential was not recorded'),
      )
  }

  const writeQueued = async (row: RowState): Promise<void> => {
    clearTimeout(row.timer)
    if (row.queued) await write(row.queued)
  }

  return {
    async record(outcome) {
      const row = rows.get(outcome.id)
      if (!row) return write(outcome)
      const queued = row.queued ? merge(row.queued, outcome) : outcome
      row.queued = queued
      clearTimeout(row.timer)
      const pauseMs = row.error === queued.error ? samePauseMs : changePauseMs
      const waitMs = row.writtenAt + pauseMs - clock.monotonic()
      if (waitMs <= 0) return writeQueued(row)
      row.timer = setTimeout(() => void writeQueued(row), waitMs)
    },
    async close() {
      await Promise.all([...rows.values()].map(writeQueued))
      await writes.idle()
    },
  }
}

/** Merges two outcomes: the later one counts, with the time of an earlier success. */
function merge(earlier: CredentialOutcome, later: CredentialOutcome): CredentialOutcome {
  return { ...later, usedAt: later.usedAt ?? earlier.usedAt }
}

function dropIdle(rows: Map<string, RowState>, now: number): void {
  for (const [id, { queued, writtenAt }] of rows)
    if (!queued && writtenAt + samePauseMs <= now) rows.delete(id)
}

/** Writes outcomes with one statement. Rows are locked in the order of their IDs, so that processes cannot deadlock. */
export async function writeOutcomes(sql: Sql, outcomes: CredentialOutcome[]): Promise<void> {
  const byRow = new Map<string, CredentialOutcome>()
  for (const outcome of outcomes) {
    const earlier = byRow.get(outcome.id)
    byRow.set(outcome.id, earlier ? merge(earlier, outcome) : outcome)
  }
  const rows = [...byRow.values()].map(({ accountId, id, usedAt, error }) => ({
    account_id: accountId,
    id,
    used_at: usedAt === null ? null : new Date(usedAt).toISOString(),
    error,
  }))
  await sql`
    with locked as materialized (
      select c.account_id, c.id, o.used_at, o.error
      from json_to_recordset(${JSON.stringify(rows)}::text::json)
        as o (account_id uuid, id uuid, used_at timestamptz, error text)
      join provider_credentials c on c.account_id = o.account_id and c.id = o.id
      order by c.account_id, c.id for no key update of c
    )
    update provider_credentials c set last_used_at = greatest(c.last_used_at, l.used_at), last_error = l.error
    from locked l where c.account_id = l.account_id and c.id = l.id`
}

/** The reason why a call with a credential failed. */
export interface CredentialFailure {
  /** The vendor's HTTP status; undefined if the vendor did not respond. */
  status?: number | undefined
  /** The vendor's message, or ours. */
  message: string
}

/** Maximum length of an error, in characters. Longer errors are cut. */
const maxLength = 300

/**
 * Describes a failure in one line: status and message, in which every secret of the credential is replaced with `***`.
 */
export function describeFailure(
  { secrets }: Pick<UsableCredential, 'secrets'>,
  { status, message }: CredentialFailure,
): string {
  const line = redactSecrets(message, secrets)
    .replaceAll(/[\p{Cc}\p{Zs}\p{Cs}]+/gu, ' ')
    .trim()
  const text = status === undefined ? line : `${status}: ${line}`
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text
}
