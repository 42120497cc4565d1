import type { Issuer } from '../../platform/config/issuers.ts'
import { Problem } from '../../schema/errors.ts'
import type { Context } from '../context.ts'

/**
 * Returns the accounts in which an issuer begins sessions; undefined if it begins them in every account of its users. An
 * issuer that only admits domains speaks for their accounts alone.
 */
export function accountsOfIssuer({
  accountsByDomain,
  opensAccounts,
}: Pick<Issuer, 'accountsByDomain' | 'opensAccounts'>): ReadonlySet<string> | undefined {
  return opensAccounts || accountsByDomain.size === 0 ? undefined : new Set(accountsByDomain.values())
}

type SessionContext = Pick<Context, 'sql' | 'config'>

/**
 * Throws `forbidden` if the issuer that began a session does not speak for an account. Otherwise a company that signs a
 * person in could enter the person's other accounts.
 */
export async function requireAdmission(
  context: SessionContext,
  { familyId, accountId }: { familyId: string | undefined; accountId: string },
): Promise<void> {
  const accounts = await accountsOfSession(context, familyId)
  if (accounts && !accounts.has(accountId))
    throw new Problem('forbidden', {
      message: 'Your identity provider does not sign you in to this account. Log in to it in another way.',
    })
}

/**
 * Throws `forbidden` if an issuer limits a session to its accounts. Such a session changes neither second factors nor
 * identities: with another way to sign in, or without the second factor, a company could enter other accounts of the
 * person, and the person's access would outlast the one at the issuer.
 */
export async function requireUnlimited(
  context: SessionContext,
  { familyId }: { familyId: string | undefined },
): Promise<void> {
  if (await isLimited(context, { familyId }))
    throw new Problem('forbidden', { message: 'Your identity provider manages your sign-in.' })
}

/** Returns whether an issuer limits a session to its accounts. */
export async function isLimited(
  context: SessionContext,
  { familyId }: { familyId: string | undefined },
): Promise<boolean> {
  return (await accountsOfSession(context, familyId)) !== undefined
}

/** Returns the accounts to which the issuer of a session limits it: none if the issuer was removed from the settings. */
async function accountsOfSession(
  { sql, config }: SessionContext,
  familyId: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const [identity] = familyId
    ? await sql<{ url: string }[]>`
        select i.issuer as url from identity_sessions s join identities i on i.id = s.identity_id
        where s.family_id = ${familyId}`
    : []
  if (!identity) return undefined
  const issuer = [...config.issuers.values()].find(({ url }) => url === identity.url)
  return issuer ? accountsOfIssuer(issuer) : new Set()
}
