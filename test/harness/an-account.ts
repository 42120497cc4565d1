import type { Context } from '../../domain/context.ts'
import { hmacOfKey, maskKeyText, mintKeyText } from '../../domain/keys/key-text.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import type { Budget, BudgetSubject } from '../../domain/ledger/hold.ts'

/** An account with a balance, straight in the tables. */
export async function anAccount(
  context: Context,
  options: { creditNanos?: bigint } = {},
): Promise<{ accountId: string }> {
  const accountId = context.ids.uuid()
  await context.sql`insert into accounts (id, name) values (${accountId}, 'test')`
  await context.sql`insert into balances (account_id) values (${accountId}) on conflict do nothing`
  const amountNanos = options.creditNanos ?? 100_000_000_000n
  if (amountNanos > 0n) {
    await creditAccount(context, { accountId, amountNanos, source: 'test-credit', paymentMethod: 'grant' })
  }
  return { accountId }
}

export interface TestKey {
  accountId: string
  keyId: string
  text: string
}

/** An API key of an account, straight in the tables. */
export async function anApiKey(
  context: Context,
  options: {
    accountId: string
    limitNanos?: bigint
    resetInterval?: string
    rpm?: number
    tph?: number
    tpd?: number
    ipWhitelist?: string[]
    allowedModels?: string[]
    allowedVendors?: string[]
    isProvisioning?: boolean
    disabled?: boolean
    expiresAt?: Date
  },
): Promise<TestKey> {
  const { sql, ids, config } = context
  const keyId = ids.uuid()
  const { text, publicId } = mintKeyText(ids, options.isProvisioning ?? false)
  await sql`
    insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix, ip_whitelist, allowed_models, allowed_vendors,
      rate_limit_rpm, rate_limit_tph, rate_limit_tpd, is_provisioning, disabled, expires_at)
    values (${options.accountId}, ${keyId}, ${publicId}, 'test key', ${hmacOfKey(config.keyPepper, text)},
      ${maskKeyText(text)}, ${options.ipWhitelist ?? []}, ${options.allowedModels ?? []}, ${options.allowedVendors ?? []},
      ${options.rpm ?? null}, ${options.tph ?? null}, ${options.tpd ?? null}, ${options.isProvisioning ?? false}, ${options.disabled ?? false},
      ${options.expiresAt ?? null})`
  await sql`
    insert into key_budgets (account_id, key_id, limit_nanos, reset_interval)
    values (${options.accountId}, ${keyId}, ${options.limitNanos ?? null}, ${options.resetInterval ?? 'none'})`
  return { accountId: options.accountId, keyId, text }
}

/** A new account with a balance, and an API key of it. */
export async function aKeyWithCredits(
  context: Context,
  options: Parameters<typeof anAccount>[1] & Omit<Parameters<typeof anApiKey>[1], 'accountId'> = {},
): Promise<TestKey> {
  return anApiKey(context, { ...options, ...(await anAccount(context, options)) })
}

/** A budget of an account, straight in the tables: of the tag `team=search` unless another subject is given. */
export async function aBudget(
  { sql, ids }: Context,
  {
    accountId,
    limitNanos,
    resetInterval = 'none',
    ...given
  }: { accountId: string; limitNanos: bigint; resetInterval?: string } & Partial<BudgetSubject>,
): Promise<Budget> {
  const budget = { kind: 'tag' as const, key: 'team', value: 'search', ...given, id: ids.uuid() }
  const { id, kind, key, value } = budget
  await sql`
    insert into budgets (account_id, id, kind, key, value, limit_nanos, reset_interval)
    values (${accountId}, ${id}, ${kind}, ${key}, ${value}, ${limitNanos}, ${resetInterval})`
  return budget
}
