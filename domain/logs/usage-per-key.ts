import type { Context } from '../context.ts'
import { type Period, periodStart } from './period-start.ts'

/** What the requests of one key came to in a period. */
export interface Usage {
  /** Every request that was logged, failed ones and those on the account's own credentials as well. */
  requests: number
  spentNanos: bigint
  promptTokens: number
  completionTokens: number
}

/**
 * Adds up the request log for many keys of an account in one statement. A key without requests has zero of
 * everything. Only the partitions of the period are read.
 */
export async function usagePerKey(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  args: { accountId: string; keyIds: readonly string[]; period: Period },
): Promise<Map<string, Usage>> {
  const since = periodStart(args.period, clock.now())
  const rows = await sql<(Usage & { keyId: string })[]>`
    select api_key_id as "keyId", count(*)::float8 as requests, sum(cost_nanos)::bigint as "spentNanos",
      sum(prompt_tokens)::float8 as "promptTokens", sum(completion_tokens)::float8 as "completionTokens"
    from request_logs
    where account_id = ${args.accountId} and api_key_id = any(${args.keyIds}::uuid[])
      ${since ? sql`and created_at >= ${since}` : sql``}
    group by api_key_id`
  const known = new Map(rows.map(({ keyId, ...usage }) => [keyId, usage]))
  return new Map(args.keyIds.map(id => [id, known.get(id) ?? none]))
}

const none: Usage = { requests: 0, spentNanos: 0n, promptTokens: 0, completionTokens: 0 }
