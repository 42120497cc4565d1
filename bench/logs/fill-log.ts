import { rm } from 'node:fs/promises'
import { keepTerms } from '../../domain/pricing/kept-terms.ts'
import { systemIds } from '../../platform/ids.ts'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { countAlike, countDay } from './count-log.ts'

const days = 60

/** The day on which some requests are for a rare model. */
const rareDay = 30

/** Number of days that are filled at the same time. */
const parallelDays = 2

const terms = keepTerms([
  {
    label: 'input',
    quantity: 200,
    unit: 'token',
    attosPerUnit: 2_500_000_000_000n,
    amountAttos: 500_000_000_000_000n,
  },
])

/** The requests of an account on a day. */
interface FilledDay {
  accountId: string
  keyIds: readonly string[]
  daysAgo: number
  rows: number
  /** Whether the requests have an end user and metadata. */
  isLabelled: boolean
}

/**
 * Fills the request log of an account over the last 60 days: 40 models of which one is rare, 500 end users, 7 teams in the
 * metadata, one failure in a hundred, and as many requests of each key. A tenth as many rows of other accounts lie
 * between. Then counts them as settling would have. The statements of `sql` must have no time limit.
 */
export async function fillLog(
  sql: Sql,
  args: { accountId: string; keyIds: readonly string[]; rows: number; tell(line: string): void },
): Promise<void> {
  const { accountId, keyIds, rows, tell } = args
  const perDay = Math.ceil(rows / days)
  for (const daysAgo of [1, 0]) await sql.unsafe(`drop table ${(await describeDay(sql, daysAgo)).name}`)
  const left = Array.from({ length: days }, (_, daysAgo) => daysAgo)
  const fill = async () => {
    for (let daysAgo = left.pop(); daysAgo !== undefined; daysAgo = left.pop()) {
      const own = { accountId, keyIds, daysAgo, rows: perDay, isLabelled: true }
      const other = { ...own, accountId: systemIds.uuid(), rows: Math.ceil(perDay / 10), isLabelled: false }
      await fillDay(sql, daysAgo, [own, other])
      if (daysAgo % 10 === 0) tell(`${days - daysAgo} of ${days} days are filled`)
    }
  }
  await Promise.all(Array.from({ length: parallelDays }, fill))
  tell('counting the usage')
  const [wholeDay, ...different] = [days - 1, rareDay, 0]
  for (const daysAgo of [wholeDay, ...different]) await countDay(sql, { accountId, daysAgo })
  const alike = Array.from({ length: wholeDay }, (_, daysAgo) => daysAgo)
  await countAlike(sql, { accountId, from: wholeDay, to: alike.filter(day => !different.includes(day)) })
  await sql`vacuum analyze usage_counters, usage_latencies`
}

/**
 * Fills the partition of a day, and creates its indexes afterwards, which takes a fraction of the time of inserting into
 * them. Postgres writes no WAL for a table of the same transaction, and FREEZE marks its rows as a vacuum would.
 */
async function fillDay(sql: Sql, daysAgo: number, parts: readonly FilledDay[]): Promise<void> {
  const { name, bounds, file } = await describeDay(sql, daysAgo)
  try {
    await sql.begin(async transaction => {
      await transaction.unsafe(`
        set local maintenance_work_mem = '256MB';
        create table filled_${name} (like request_logs including defaults);
        copy (${parts.map(rowsOf).join(' union all ')}) to '${file}' (format binary);
        copy filled_${name} (${columns}) from '${file}' (format binary, freeze)`)
      await createIndexes(transaction, `filled_${name}`)
      await transaction.unsafe(`
        alter table filled_${name} rename to ${name};
        alter table request_logs attach partition ${name} for values ${bounds}`)
    })
    await sql.unsafe(`analyze ${name}`)
  } finally {
    await rm(file, { force: true })
  }
}

/** Returns the name and bounds of a day's partition, and a file that Postgres can write. */
async function describeDay(sql: Sql, daysAgo: number) {
  const [day] = await sql<{ name: string; bounds: string; file: string }[]>`
    select 'request_logs_' || to_char(day, 'YYYYMMDD') as name,
      format('from (%L) to (%L)', day || ' 00:00:00+00', day + 1 || ' 00:00:00+00') as bounds,
      current_setting('data_directory') || '/filled-' || to_char(day, 'YYYYMMDD') as file
    from (select (now() at time zone 'UTC')::date - ${daysAgo}::int as day) d`
  return day!
}

const columns = `account_id, created_at, id, api_key_id, route, model, vendor, status, prompt_tokens, completion_tokens,
  cost_nanos, cost_terms, end_user, metadata, client_address, first_byte_ms, duration_ms`

/** Returns the query of an account's rows on a day, as text, because COPY takes no parameters. */
function rowsOf({ accountId, keyIds, daysAgo, rows, isLabelled }: FilledDay): string {
  return `
    select '${accountId}'::uuid, at, 'req_' || lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
        || left(md5(n || '${accountId}${daysAgo}'), 19),
      ('{${keyIds.join(',')}}'::uuid[])[1 + n % ${keyIds.length}], 'chat.completions',
      case when n % 40 = 39 and (${daysAgo} <> ${rareDay} or n > 100) then 'vendor_a/model-0'
        when n % 40 = 39 then 'vendor_a/rare' else 'vendor_' || chr(97 + n % 3) || '/model-' || n % 39 end,
      'vendor_' || chr(97 + n % 3), case when n % 100 = 7 then 429 else 200 end, (200 + n % 1000)::bigint,
      (n % 700)::bigint, (1000 + n % 5000)::bigint, '${terms}',
      ${isLabelled ? `'user ' || n % 500, '[{"key":"team","value":"team ' || n % 7 || '"}]'` : 'null::text, null::text'},
      '192.0.2.1', 300, 900 + n % 2000
    from generate_series(1, ${rows}) n,
      lateral (select date_trunc('day', now(), 'UTC') - ${daysAgo} * interval '1 day'
        + (n - 1) * (interval '1 day' / ${rows}) as at) t
    where at <= now()`
}

/** Creates the indexes of the request log on a table that will be its partition. */
async function createIndexes(transaction: SqlTransaction, table: string): Promise<void> {
  const indexes = await transaction<{ statement: string }[]>`
    select coalesce(
      'alter table ' || ${table}::text || ' add ' || pg_get_constraintdef(c.oid),
      regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE (UNIQUE )?INDEX .* ON ONLY \\S+', 'create \\1index on ' || ${table}::text)
    ) as statement
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'p'
    where i.indrelid = 'request_logs'::regclass`
  for (const { statement } of indexes) await transaction.unsafe(statement)
}
