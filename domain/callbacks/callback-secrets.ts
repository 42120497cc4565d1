import { randomBytes } from 'node:crypto'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { checkOverlapHours } from '../overlap-hours.ts'
import { secretPrefix } from './sign-delivery.ts'

type SecretsContext = Pick<Context, 'sql' | 'vault' | 'ids'>

/** A secret with which deliveries of an account are signed. */
export interface CallbackSecret {
  id: string
  /** `whsec_` and the base64 of 32 bytes. */
  secret: string
  createdAt: Date
  /** When the secret stops being used; null for the current secret. */
  endsAt: Date | null
}

/** Maximum number of secrets that sign at the same time. A further rotation ends the oldest at once. */
const maxSecrets = 3

/** Returns the associated data of a secret (`Vault`). */
export function associatedDataOfCallbackSecret(accountId: string, id: string): string {
  return `callback_secrets/${accountId}/${id}/secret`
}

/** Returns the secrets that sign now, the current secret first. The first secret of an account is created on demand. */
export async function readCallbackSecrets(
  context: SecretsContext,
  { accountId }: { accountId: string },
): Promise<CallbackSecret[]> {
  const known = await secretsOf(context.sql, accountId)
  const rows = known.length > 0 ? known : await makeFirst(context, accountId)
  return rows.map(({ sealed, ...row }) => ({
    ...row,
    secret: context.vault.open(sealed, associatedDataOfCallbackSecret(accountId, row.id)),
  }))
}

/**
 * Creates a new secret, which becomes the current one. The previous secret signs beside it for `overlapHours`; with 0
 * it ends at once. Resolves to the secrets that sign now. Throws `validation_failed`.
 */
export async function rotateCallbackSecret(
  context: SecretsContext,
  { accountId, overlapHours }: { accountId: string; overlapHours: number },
): Promise<CallbackSecret[]> {
  checkOverlapHours(overlapHours)
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

/** Creates the first secret. If two processes do this at the same time, the second uses the secret of the first. */
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
    values (${accountId}, ${id}, ${vault.seal(secret, associatedDataOfCallbackSecret(accountId, id))}, clock_timestamp())
    on conflict (account_id) where ends_at is null do nothing`
}
