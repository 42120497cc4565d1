import type { BudgetAction } from '../../domain/budgets/budget-settings.ts'
import type { Context } from '../../domain/context.ts'
import { hmacOfKey, maskKeyText, mintKeyText } from '../../domain/keys/key-text.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import type { Budget, BudgetSubject } from '../../domain/ledger/hold.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import type { ControlPlane } from './a-control-plane.ts'

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

/** A member of an account, straight in the tables. Nobody can log in as this member: the password is unknown. */
export async function aMember(
  { sql, ids }: Pick<Context, 'sql' | 'ids'>,
  options: { accountId: string; email?: string; role?: Role; isConfirmed?: boolean },
): Promise<{ userId: string; email: string }> {
  const userId = ids.uuid()
  const { accountId, email = `${userId}@example.com`, role = 'owner', isConfirmed = false } = options
  await sql`
    insert into users (id, email, name, password_hash, email_confirmed_at)
    values (${userId}, ${email}, ${email}, 'x', ${isConfirmed ? new Date() : null})`
  await sql`insert into memberships (account_id, user_id, role) values (${accountId}, ${userId}, ${role})`
  return { userId, email }
}

/** An invitation to an account that is valid for a day, straight in the tables. */
export async function anInvitation(
  { sql, ids }: Pick<Context, 'sql' | 'ids'>,
  { accountId }: { accountId: string },
): Promise<string> {
  const id = ids.uuid()
  await sql`
    insert into invitations (account_id, id, link_id, email, role, created_at, sent_at, expires_at)
    values (${accountId}, ${id}, ${ids.uuid()}, ${`${id}@example.com`}, 'viewer', now(), now(), now() + interval '1 day')`
  return id
}

/** Signs up a person, who then joins an account and leaves their own. Resolves to the token of their session in it. */
export async function joinAccount(
  control: Pick<ControlPlane, 'context' | 'rest' | 'aPerson'>,
  { accountId, role }: { accountId: string; role: Role },
): Promise<string> {
  const { email, password, accountId: own } = await control.aPerson()
  await control.context.sql`
    update memberships set account_id = ${accountId}, role = ${role} where account_id = ${own}`
  const { body } = await control.rest('POST', '/auth/log-in', { body: { email, password } })
  return body.access_token
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
    createdBy?: string
    expiresAt?: Date
  },
): Promise<TestKey> {
  const { sql, ids, config } = context
  const keyId = ids.uuid()
  const { text, publicId } = mintKeyText(ids, options.isProvisioning ?? false)
  await sql`
    insert into api_keys (account_id, id, public_id, name, key_hmac, key_prefix, ip_whitelist, allowed_models, allowed_vendors,
      rate_limit_rpm, rate_limit_tph, rate_limit_tpd, is_provisioning, scopes, disabled, created_by, expires_at)
    values (${options.accountId}, ${keyId}, ${publicId}, 'test key', ${hmacOfKey(config.keyPepper, text)},
      ${maskKeyText(text)}, ${options.ipWhitelist ?? []}, ${options.allowedModels ?? []}, ${options.allowedVendors ?? []},
      ${options.rpm ?? null}, ${options.tph ?? null}, ${options.tpd ?? null}, ${options.isProvisioning ?? false}, ${options.isProvisioning ? ['all'] : []},
      ${options.disabled ?? false},
      ${options.createdBy ?? null}, ${options.expiresAt ?? null})`
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
    action = 'refuse',
    resetInterval = 'none',
    ...given
  }: {
    accountId: string
    limitNanos: bigint
    action?: BudgetAction
    resetInterval?: string
  } & Partial<BudgetSubject>,
): Promise<Budget> {
  const budget = { kind: 'tag' as const, key: 'team', value: 'search', ...given, id: ids.uuid() }
  const { id, kind, key, value } = budget
  await sql`
    insert into budgets (account_id, id, kind, key, value, limit_nanos, action, reset_interval)
    values (${accountId}, ${id}, ${kind}, ${key}, ${value}, ${limitNanos}, ${action}, ${resetInterval})`
  return budget
}
