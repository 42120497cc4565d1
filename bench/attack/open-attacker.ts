import { sealApiKey } from '../../domain/byok/seal-credential.ts'
import type { Context } from '../../domain/context.ts'
import { openAccounts } from '../system/open-accounts.ts'
import type { Attack } from './attacks.ts'

/** Creates the accounts of an attacker directly in the tables. Resolves to their keys. */
export async function openAttacker(
  context: Context,
  attack: Attack,
  { upstreamUrl }: { upstreamUrl: string },
): Promise<string[]> {
  const { accounts = 1, keys: keysEach = 50, isPoor, credentials, tasks } = attack
  const keys = await openAccounts(context, { accounts, keysEach, hasCredits: !isPoor })
  for (const accountId of new Set(keys.map(key => key.accountId))) {
    for (let at = 0; credentials && at < credentials.count; at++)
      await addCredential(context, { ...credentials, accountId, baseUrl: upstreamUrl + credentials.path })
    if (tasks) await addTasks(context, accountId, tasks)
  }
  return keys.map(({ text }) => text)
}

async function addCredential(
  context: Context,
  own: { accountId: string; vendor: string; baseUrl: string; alwaysUse?: boolean },
): Promise<void> {
  const { sql, ids } = context
  const { accountId, vendor, baseUrl, alwaysUse = false } = own
  const id = ids.uuid()
  const { apiKeySealed, apiKeyPrefix } = sealApiKey(context, { accountId, id }, `sk-${id}`)
  await sql`
    insert into provider_credentials (account_id, id, provider, label, api_key_sealed, api_key_prefix, base_url,
      always_use)
    values (${accountId}, ${id}, ${vendor}, 'fails', ${apiKeySealed ?? null}, ${apiKeyPrefix}, ${baseUrl},
      ${alwaysUse})`
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
