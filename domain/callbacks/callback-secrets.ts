import { randomBytes } from 'node:crypto'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { Context } from '../context.ts'
import { secretPrefix } from './sign-delivery.ts'

type SecretsContext = Pick<Context, 'sql' | 'vault' | 'ids'>

/** A secret that deliveries of an account are signed with. */
export interface CallbackSecret {
  id: string
  /** `whsec_` and the base64 of 32 bytes. */
  secret: string
  createdAt: Date
  /** When it stops signing; null for the current one. */
  endsAt: Date | null
}

/** Default and maximum time for which a replaced secret still signs beside its successor, in hours. */
export const defaultOverlapHours = 24
export const longestOverlapHours = 168

/** Secrets that sign at the same time. Rotated once more, the oldest ends at once. */
const maxSecrets = 3

/** Returns the place that a secret is sealed to. Copied into another row, it cannot be opened. */
export function placeOfCallbackSecret(accountId: string, id: string): string {
  return `callback_secrets/${accountId}/${id}/secret`
}

/**
 * The secrets that sign at this moment, the current one first. The first of an account is made when it is first asked
 * for.
 */
export async function readCallbackSecrets(
  context: SecretsContext,
  { accountId }: { accountId: string },
): Promise<CallbackSecret[]> {
  const known = await secretsOf(context.sql, accountId)
  const rows = known.length > 0 ? known : await makeFirst(context, accountId)
  return rows.map(({ sealed, ...row }) => ({
    ...row,
    secret: context.vault.open(sealed, placeOfCallbackSecret(accountId, row.id)),
  }))
}

/**
 * Makes a new secret the current one. The one before signs beside it for `overlapHours`, with 0 no more. Resolves to
 * the secrets that sign from now on. Throws `validation_failed`.
 */
export async function rotateCallbackSecret(
  context: SecretsContext,
  { accountId, overlapHours }: { accountId: string; overlapHours: number },
): Promise<CallbackSecret[]> {
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > longestOverlapHours)
    refuseParam('overlapHours', `must be a whole number from 0 to ${longestOverlapHours}`)
  await context.sql.begin(async sql => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`callback secrets ${accountId}`}, 0))`
    await sql`
      update callback_secrets set ends_at = clock_timestamp() + make_interval(hours => ${overlapHours})
      where account_id = ${accountId} and ends_at is null`
    await sql`
      delete from callback_secrets where account_id = ${accountId} and id not in (
        select id from callback_secrets where account_id = ${accountId} and ends_at > clock_timestamp()
        order by created_at desc, id desc limit ${maxSecrets - 1})`
    await insertSecret(context, sql, accountId)
  })
  return readCallbackSecrets(context, { accountId })
}

interface SecretRow {
  id: string
  sealed: Uint8Array
  createdAt: Date
  endsAt: Date | null
}

function secretsOf(sql: Sql, accountId: string): Promise<SecretRow[]> {
  return sql<SecretRow[]>`
    select id, secret_sealed as sealed, created_at as "createdAt", ends_at as "endsAt" from callback_secrets
    where account_id = ${accountId} and (ends_at is null or ends_at > clock_timestamp())
    order by created_at desc, id desc`
}

/** Creates the first secret. If two processes do so at once, the second uses the secret of the first. */
async function makeFirst(context: SecretsContext, accountId: string): Promise<SecretRow[]> {
  await insertSecret(context, context.sql, accountId)
  return secretsOf(context.sql, accountId)
}

async function insertSecret(
  { vault, ids }: SecretsContext,
  sql: Sql | SqlTransaction,
  accountId: string,
): Promise<void> {
  const id = ids.uuid()
  const secret = secretPrefix + randomBytes(32).toString('base64')
  await sql`
    insert into callback_secrets (account_id, id, secret_sealed, created_at)
    values (${accountId}, ${id}, ${vault.seal(secret, placeOfCallbackSecret(accountId, id))}, clock_timestamp())
    on conflict (account_id) where ends_at is null do nothing`
}
