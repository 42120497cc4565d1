import { beginAction } from '../../domain/audit/record-action.ts'
import type { Context } from '../../domain/context.ts'
import { aBudget, anAccount, anApiKey, anInvitation } from '../harness/an-account.ts'
import { aSettledRequest } from '../harness/ledger/a-settled-request.ts'

/** An account with a member and with rows in every table whose rows are deleted with an account (`domain/closures`). */
export async function aFullAccount(context: Context, name: string): Promise<{ accountId: string }> {
  const { sql, ids } = context
  const { accountId } = await anAccount(context)
  const { keyId } = await anApiKey(context, { accountId, limitNanos: 5_000_000_000n })
  await aBudget(context, { accountId, limitNanos: 1_000_000_000n })
  const tag = JSON.stringify([{ key: 'team', value: 'red' }])
  for (const [end_user, metadata] of [
    ['ann', null],
    [null, tag],
    ['ann', tag],
  ] as const)
    await aSettledRequest(sql, { accountId, keyId, costNanos: 7n, columns: { end_user, metadata } })
  await sql`
    insert into usage_latencies values (${accountId}, now()::date, ${keyId}, 'vendor_a/model', '{1}', '{}')`
  await beginAction(context, {
    accountId,
    name: 'logIn',
    actor: { kind: 'session', id: ids.uuid() },
    address: '192.0.2.1',
  })
  const userId = ids.uuid()
  const own = { account_id: accountId, id: ids.uuid() }
  const now = new Date()
  const email = `${name}-${userId}@example.com`
  await sql`insert into users ${sql({ id: userId, email, name, password_hash: 'x' })}`
  await sql`insert into memberships ${sql({ account_id: accountId, user_id: userId, role: 'owner' })}`
  await sql`insert into known_networks ${sql({ user_id: userId, network: Buffer.from('n'), last_at: now })}`
  const link = {
    id: ids.uuid(),
    purpose: 'reopen_account',
    email,
    user_id: userId,
    account_id: accountId,
    created_at: now,
    expires_at: now,
  }
  await sql`insert into mailed_links ${sql(link)}`
  const token = { family_id: ids.uuid(), user_id: userId, token_hash: Buffer.from(userId), expires_at: now }
  await sql`insert into refresh_tokens ${sql({ ...own, ...token })}`
  const credential = { provider: 'vendor_a', label: 'ours', api_key_prefix: 'sk-…' }
  await sql`insert into provider_credentials ${sql({ ...own, ...credential })}`
  await sql`insert into balance_alerts ${sql({ ...own, threshold_nanos: 5n, armed: true })}`
  await sql`insert into alert_webhooks ${sql({ account_id: accountId, url: 'https://alerts.example' })}`
  await sql`insert into alert_notices ${sql({ account_id: accountId, day: now, sent: 1 })}`
  await sql`insert into callback_secrets ${sql({ ...own, secret_sealed: Buffer.from('s') })}`
  const delivery = { event: 'task.completed', url: 'https://calls.example', receiver: 'calls.example' }
  await sql`insert into deliveries ${sql({ ...own, ...delivery })}`
  await sql`
    insert into delivery_tries ${sql({ account_id: accountId, delivery_id: own.id, number: 1, started_at: now })}`
  const claim = {
    key: 'k',
    fingerprint: Buffer.from('f'),
    process_id: ids.uuid(),
    request_id: 'req_1',
    started_at: now,
  }
  await sql`insert into idempotency_keys ${sql({ account_id: accountId, ...claim })}`
  await sql`
    insert into tasks (account_id, id, request_id, api_key_id, kind, model, vendor, parameters, status, price_nanos,
      cost_nanos, own_only, created_at, ends_at, finished_at)
    values (${accountId}, ${`task_${own.id}`}, 'req_none', ${keyId}, 'video', 'vendor_i/reel', 'vendor_i', '{}', 'failed',
      0, 0, true, now() - interval '51 days', now(), now())`
  const file = {
    name: `results/${own.id}`,
    kind: 'result',
    content_type: 'video/mp4',
    bytes: 7,
    created_at: now,
  }
  const expires_at = new Date(now.getTime() + 3_600_000)
  await sql`insert into media_files ${sql({ ...own, ...file, stored_at: now, expires_at })}`
  await sql`
    insert into automatic_top_ups ${sql({ account_id: accountId, is_on: false, threshold_nanos: 1n, amount_nanos: 1n, daily_max_nanos: 1n })}`
  await sql`insert into stripe_customers ${sql({ account_id: accountId, customer_id: `cus_${own.id}` })}`
  const card = {
    brand: 'visa',
    last4: '4242',
    expiry_month: 1,
    expiry_year: 2031,
    event_at: now,
    saved_at: now,
  }
  await sql`insert into saved_cards ${sql({ ...own, ...card })}`
  const payment = {
    amount_nanos: 5n,
    currency: 'usd',
    status: 'expired',
    idempotency_key: 'i',
    checkout_url: 'https://pay',
  }
  await sql`insert into payments ${sql({ ...own, ...payment, payment_intent_id: `pi_${own.id}` })}`
  await anInvitation({ sql, ids }, { accountId })
  return { accountId }
}
