import { sealApiKey } from '../../domain/byok/seal-credential.ts'
import type { Context } from '../../domain/context.ts'
import type { Attack } from '../attack/attacks.ts'
import { openAccounts } from './open-accounts.ts'

/** Opens the account of an attacker, straight in the tables. Resolves to the texts of its keys. */
export async function openAttacker(
  context: Context,
  attack: Attack,
  { failingUrl }: { failingUrl: string },
): Promise<string[]> {
  const keys = await openAccounts(context, {
    accounts: 1,
    keysEach: attack.keys,
    hasCredits: attack.hasCredits,
  })
  const [account] = await context.sql<{ id: string }[]>`
    select account_id as id from api_keys order by created_at desc, id desc limit 1`
  const accountId = account!.id
  for (let at = 0; at < (attack.credentials ?? 0); at++) await addCredential(context, accountId, failingUrl)
  if (attack.tasks) await addTasks(context, accountId, attack.tasks)
  return keys
}

async function addCredential(context: Context, accountId: string, baseUrl: string): Promise<void> {
  const { sql, ids } = context
  const id = ids.uuid()
  const { apiKeySealed, apiKeyPrefix } = sealApiKey(context, { accountId, id }, `sk-${id}`)
  await sql`
    insert into provider_credentials (account_id, id, provider, label, api_key_sealed, api_key_prefix, base_url)
    values (${accountId}, ${id}, 'vendor_a', 'fails', ${apiKeySealed ?? null}, ${apiKeyPrefix}, ${baseUrl})`
  await sql`update accounts set byok_revision = byok_revision + 1 where id = ${accountId}`
}

async function addTasks({ sql }: Context, accountId: string, count: number): Promise<void> {
  await sql`
    insert into tasks (account_id, id, request_id, api_key_id, kind, model, vendor, parameters, status, price_nanos,
      created_at, ends_at)
    select ${accountId}, 'task_' || lpad(to_hex(n), 24, '0'), 'req_' || n, gen_random_uuid(), 'video', 'vendor_i/reel',
      'vendor_i', '{}', 'success', 0, now() - n * interval '1 second', now()
    from generate_series(1, ${count}) n`
  await sql`analyze tasks`
}
