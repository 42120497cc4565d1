import { isUuid } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'
import { signToken, type TokenKind, verifyToken } from '../accounts/signing-keys.ts'
import { checkReason } from '../audit/check-reason.ts'
import type { Context, ManagementContext } from '../context.ts'
import type { ViewCaller } from './caller.ts'
import { isOperatorKeyValid, type Operator, requireOperatorNetwork } from './operators.ts'

/** Prefix of the token of a view. No session token and no API key begins with it. */
const prefix = 'rb-view-'

/** Maximum lifetime of a view, in seconds. It is never longer than the lifetime of a session token, for which signing keys are kept. */
const maxLifetimeSeconds = 900

/** Returns the kind of the tokens of views. No session token has it. */
function kindOf({ baseUrl }: Config): TokenKind {
  return { type: 'view+jwt', audience: `${baseUrl}/account-view` }
}

/** Returns the JWT in the token of a view; undefined for other tokens. */
export function viewTokenIn(token: string): string | undefined {
  return token.startsWith(prefix) ? token.slice(prefix.length) : undefined
}

/**
 * Opens an operator's view of an account: a token with which the management API answers as to a member who can only
 * read. Suspended and closed accounts can be viewed too. The caller records the action in the account's audit log.
 * Throws `validation_failed`, `not_found` if there is no such account, and `account_closed` if the deletion of its data
 * has begun.
 */
export async function openView(
  context: ManagementContext,
  { accountId, reason, operator }: { accountId: string; reason: string; operator: Operator },
): Promise<{ accessToken: string; expiresAt: Date }> {
  checkReason(reason)
  await requireData(context, accountId)
  const { config } = context
  const { token, expiresAt } = await signToken(context, {
    ...kindOf(config),
    claims: { account_id: accountId, sub: operator.name, operator_key: operator.keyId },
    lifetimeSeconds: Math.min(maxLifetimeSeconds, config.accessTokenSeconds),
  })
  return { accessToken: prefix + token, expiresAt }
}

/**
 * Verifies the JWT of a view. The operator's key must still be in OPERATOR_KEYS, and `address` in OPERATOR_NETWORKS.
 * Throws `unauthenticated`, `token_expired`, `ip_not_allowed`, and `account_closed` if the deletion of the account's data
 * has begun.
 */
export async function verifyViewToken(
  context: Pick<Context, 'sql' | 'clock' | 'config'>,
  { token, address }: { token: string; address: string },
): Promise<ViewCaller> {
  const { payload } = await verifyToken(context, token, kindOf(context.config))
  const { account_id: accountId, sub: name, operator_key: keyId } = payload
  if (typeof accountId !== 'string' || typeof name !== 'string' || typeof keyId !== 'string')
    throw new Problem('unauthenticated')
  const operator = { name, keyId }
  if (!isOperatorKeyValid(context.config, operator)) throw new Problem('unauthenticated')
  requireOperatorNetwork(context.config, address)
  await requireData(context, accountId)
  return { kind: 'view', accountId, operator }
}

/** Throws `not_found` if there is no such account, and `account_closed` if the deletion of its data has begun. */
async function requireData({ sql }: Pick<Context, 'sql'>, accountId: string): Promise<void> {
  const [account] = isUuid(accountId)
    ? await sql<{ isErased: boolean }[]>`
        select erased_at is not null as "isErased" from accounts where id = ${accountId}`
    : []
  if (!account) throw new Problem('not_found', { message: 'There is no account with this ID.' })
  if (account.isErased) throw new Problem('account_closed')
}
