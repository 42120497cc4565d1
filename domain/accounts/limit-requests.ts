import { isUuid } from '../../platform/is-uuid.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'

/**
 * Gives an account its own share of new requests per key and window in place of `rateRequests`; null takes it away
 * again. Every edge reads its keys anew within a second, and the share with them. Throws `not_found`.
 */
export async function limitRequests(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  { accountId, requests }: { accountId: string; requests: number | null },
): Promise<void> {
  if (!isUuid(accountId)) throw noAccount(accountId)
  const { count } = await sql`
    update accounts set rate_requests = ${requests}, updated_at = ${new Date(clock.now())}
    where id = ${accountId}`
  if (count === 0) throw noAccount(accountId)
}

function noAccount(accountId: string): Problem {
  return new Problem('not_found', { message: `There is no account ${accountId}.` })
}
