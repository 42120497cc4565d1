import { setTimeout as sleep } from 'node:timers/promises'
import { openPostgres, type Sql } from '../../../platform/postgres/open-postgres.ts'
import type { DemoClient, DemoKeys } from './demo-account.ts'

/** How many days before today the history of requests begins. */
const days = 27

const chats = [
  ['storefront', 'vendor_a/atlas', 'Which of these boots are waterproof?', 'ada@example.org'],
  ['storefront', 'vendor_a/atlas', 'Write three lines about a walnut desk.', 'li@example.org'],
  ['storefront', 'vendor_b/lyric', 'Translate this review to German: it fits well.', 'ada@example.org'],
  ['search', 'vendor_a/atlas-mini', 'Rewrite the query: shoe rain', undefined],
  ['search', 'vendor_a/atlas-mini', 'Rewrite the query: desk small white', undefined],
  ['nightly', 'vendor_b/lyric', 'Summarise the complaints of today in one table.', undefined],
] as const

/** Requests that fail: the vendor does not answer, and the model does not exist. */
const failures = [
  ['storefront', { model: 'vendor_a/atlas', messages: [user('Is it in stock? [[fault: 503]]')] }],
  ['search', { model: 'vendor_a/atlas-nano', messages: [user('boots')] }],
] as const

/** Sends requests of every kind, and repeats the chats over the days before. */
export async function fillRequests(client: DemoClient, keys: DemoKeys): Promise<void> {
  for (const [key, model, text, endUser] of chats) {
    const metadata = { team: key === 'search' ? 'search' : 'shop' }
    const body = { model, messages: [user(text)], max_tokens: 200, user: endUser, metadata }
    await expectStatus(client.send('/chat/completions', keys[key], body), 200)
  }
  const sql = openPostgres({ url: client.dev.database_url, name: 'pictures', maxConnections: 1 })
  try {
    await repeatOverDays(sql)
  } finally {
    await sql.end()
  }
  for (const [key, body] of failures) await client.send('/chat/completions', keys[key], body)
  const boat = { model: 'vendor_f/canvas-fast', prompt: 'A paper boat on a pond' }
  await expectStatus(client.send('/images/generations', keys.storefront, boat), 200)
  await fillTasks(client, keys)
}

/** Submits a video that is made, and a video that fails, and waits for both. */
async function fillTasks({ dev, send }: DemoClient, { storefront, nightly }: DemoKeys): Promise<void> {
  const callback = { callback_url: `${dev.receiver_url}/callbacks` }
  const submitted = await Promise.all([
    send('/videos/generations', storefront, {
      model: 'vendor_i/reel',
      prompt: 'A paper boat in the rain',
      ...callback,
    }),
    send('/videos/generations', nightly, {
      model: 'vendor_i/reel',
      prompt: 'A storm [[fault: fail]]',
      ...callback,
    }),
  ])
  for (const response of submitted) {
    const { id } = await expectStatus(response, 200)
    for (let isPending = true; isPending; await sleep(200)) {
      const headers = { authorization: `Bearer ${dev.api_key}` }
      const task = await fetch(`${dev.base_url}/v1/videos/generations/${id}`, { headers })
      isPending = (await task.json()).status === 'pending'
    }
  }
}

function user(content: string) {
  return { role: 'user', content }
}

/** Resolves to the body of a response. Throws if it has another status. */
async function expectStatus(sent: Response | Promise<Response>, status: number) {
  const response = await sent
  const text = await response.text()
  if (response.status !== status) throw new Error(`${response.status}: ${text}`)
  return JSON.parse(text)
}

/**
 * Settles the requests of today again on each day before: more on some days than on others, always the same ones. The
 * books agree afterwards.
 */
async function repeatOverDays(sql: Sql): Promise<void> {
  const logged = await readLogged(sql)
  await sql.unsafe(`
    do $$ declare day date := (now() at time zone 'UTC')::date;
    begin
      for days_ago in 2 .. ${days} loop
        execute format('create table if not exists %I partition of request_logs for values from (%L) to (%L)',
          'request_logs_' || to_char(day - days_ago, 'YYYYMMDD'), day - days_ago || ' 00:00:00+00',
          day - days_ago + 1 || ' 00:00:00+00');
      end loop;
    end $$`)
  const random = randomNumbers(7)
  for (let daysAgo = days; daysAgo >= 0; daysAgo--) {
    const growth = 20 + 40 * ((days - daysAgo) / days)
    const count = Math.round(growth * (0.75 + random() / 2) * (daysAgo % 7 < 2 ? 0.4 : 1))
    const rows = Array.from({ length: count }, () => repeated(logged, daysAgo, random))
    await settle(sql, rows)
  }
}

/** Settles requests of the account, and dates their transactions as if they had been settled when they ran. */
async function settle(sql: Sql, rows: readonly Logged[]): Promise<void> {
  await sql`
    select count(*) from settle_requests(
      array(select json_populate_record(null::charge, value) from json_array_elements(${JSON.stringify(rows)}::text::json)),
      '{}',
      -- False, after the accounts are locked.
      (select count(*) from (select from balances for no key update) locked) < 0)`
  await sql`
    update transactions t set created_at = l.created_at
    from request_logs l
    where l.account_id = t.account_id and l.id = t.request_id and t.created_at > l.created_at + interval '1 hour'`
}

type Logged = Record<string, unknown>

/** Returns the rows of the chats, once all of them are logged. */
async function readLogged(sql: Sql): Promise<readonly Logged[]> {
  for (;;) {
    const rows = await sql<{ row: Logged }[]>`
      select to_json(l) as row from request_logs l where route = 'chat.completions' order by created_at`
    if (rows.length >= chats.length) return rows.map(({ row }) => row)
    await sleep(200)
  }
}

function repeated(logged: readonly Logged[], daysAgo: number, random: () => number): Logged {
  const row = enlarged(logged[Math.floor(random() * logged.length)] ?? {}, Math.ceil(400 * random() ** 3))
  const spread = daysAgo === 0 ? Date.now() % dayMs : dayMs
  const at = Math.floor(Date.now() / dayMs - daysAgo) * dayMs + random() * spread * 0.98
  const failed = random() < 0.015 && {
    status: 502,
    error_code: 'upstream_error',
    cost_nanos: 0,
    cost_terms: null,
  }
  const firstByte = Math.round(180 + 500 * random() ** 3)
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('')
  const id = `${Math.floor(at).toString(16).padStart(12, '0')}7${hex(3)}8${hex(15)}`
  return {
    ...row,
    ...failed,
    id: `req_${id}`,
    transaction_id: `txn_${id}`,
    created_at: new Date(at).toISOString(),
    first_byte_ms: firstByte,
    duration_ms: firstByte + Math.round(300 + 2_500 * random() ** 2),
  }
}

/** Returns a request with a multiple of the tokens, and their cost. */
function enlarged(row: Logged, times: number): Logged {
  const terms = String(row.cost_terms)
    .split(';')
    .map(term => term.split(':'))
  const attos = terms.reduce((sum, [, quantity = 0, , rate = 0]) => sum + BigInt(quantity) * BigInt(rate), 0n)
  const costTerms = terms.map(([label, quantity, ...rest]) =>
    [label, Number(quantity) * times, ...rest].join(':'),
  )
  return {
    ...row,
    prompt_tokens: Number(row.prompt_tokens) * times,
    completion_tokens: Number(row.completion_tokens) * times,
    cost_terms: costTerms.join(';'),
    cost_nanos: String((attos * BigInt(times) + 999_999_999n) / 1_000_000_000n),
  }
}

const dayMs = 86_400_000

/** Returns a generator of numbers from 0 to 1 (mulberry32). The same seed gives the same numbers. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
