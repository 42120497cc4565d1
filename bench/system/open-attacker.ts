import { sealApiKey } from '../../domain/byok/seal-credential.ts'
import type { Context } from '../../domain/context.ts'
import { parseKeyText } from '../../domain/keys/key-text.ts'
import type { Attack } from '../attack/attacks.ts'
import { openAccounts } from './open-accounts.ts'

/** Opens the accounts of an attacker, straight in the tables. Resolves to the texts of their keys. */
export async function openAttacker(
  context: Context,
  attack: Attack,
  { upstreamUrl }: { upstreamUrl: string },
): Promise<string[]> {
  const { accounts = 1, keys: keysEach, hasCredits, credentials } = attack
  const keys = await openAccounts(context, { accounts, keysEach, hasCredits })
  const publicIds = keys.map(text => parseKeyText(text)!.publicId)
  const owners = await context.sql<{ accountId: string }[]>`
    select distinct account_id as "accountId" from api_keys where public_id = any(${publicIds}::text[])`
  for (const { accountId } of owners) {
    for (let at = 0; credentials && at < credentials.count; at++) {
      await addCredential(context, { ...credentials, accountId, baseUrl: upstreamUrl + credentials.path })
    }
    if (attack.tasks) await addTasks(context, accountId, attack.tasks)
  }
  return keys
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
