import { Problem } from '../../schema/errors.ts'
import { rememberNetwork } from '../accounts/known-networks.ts'
import type { AccountsContext } from '../accounts/limit-tries.ts'
import { ignoreRefusal, requireOwnLogIn } from '../accounts/log-in.ts'
import { requestLink } from '../accounts/mailed-links.ts'
import {
  endListed,
  type Session,
  type StoredSession,
  signSession,
  storeSession,
} from '../accounts/sessions.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import { type CodeExchange, claimCode, type VerifiedSignIn } from './claim-code.ts'
import { findUser, type SignInOwner } from './find-user.ts'
import { lockPerson } from './lock-person.ts'
import { mappedAccount } from './read-person.ts'
import { requireNoLogout } from './require-no-logout.ts'

/**
 * Completes a sign-in: exchanges its code for a session. If a person who signed in before is refused, the sessions that
 * the identity began end. Throws `sign_in_expired`, `sign_in_refused`, `identity_not_linked`, `no_membership`,
 * `too_many_tries`, `account_suspended`, `account_closed`.
 */
export async function completeSignIn(
  context: AccountsContext,
  { address, ...exchange }: CodeExchange & { address: string },
): Promise<Session> {
  requireOwnLogIn(context.config)
  const signIn = await claimCode(context, exchange)
  const { owner, stored } = await beginSession(context, { signIn, address }).catch(async error => {
    if (error instanceof Problem && error.status === 403) await endSessionsOfPerson(context, signIn)
    throw error
  })
  if (owner.isNew) await welcome(context, signIn, { ...owner, address })
  await rememberNetwork(context, { userId: owner.id, address })
  return signSession(context, stored)
}

/**
 * Finds the user and stores the session, in one transaction, unless the person has logged out at the issuer since the
 * sign-in began.
 */
function beginSession(
  context: AccountsContext,
  { signIn, address }: { signIn: VerifiedSignIn; address: string },
): Promise<{ owner: SignInOwner; stored: StoredSession }> {
  const { issuer, person } = signIn
  return context.sql.begin(async sql => {
    await lockPerson(sql, { issuer: issuer.url, ...person })
    await requireNoLogout(sql, signIn)
    const owner = await findUser(sql, context, { signIn, address })
    const now = context.clock.now()
    const endsAt = new Date(now + issuer.sessionHours * 3_600_000)
    const family = { id: context.ids.uuid(), beganAt: new Date(now), endsAt }
    const stored = await storeSession(sql, context, owner, { address, confirmedAt: new Date(now), family })
    await sql`
      insert into identity_sessions (family_id, identity_id, issuer_session)
      values (${family.id}, ${owner.identityId}, ${person.issuerSession})`
    return { owner, stored }
  })
}

/** Raises the revisions of keys if an address was confirmed; otherwise sends the e-mail that confirms it. */
async function welcome(
  context: AccountsContext,
  { issuer, person }: VerifiedSignIn,
  { id: userId, accountId, address }: SignInOwner & { address: string },
): Promise<void> {
  if (mappedAccount(issuer, person) !== undefined) return raiseRevisions(context, { accountId })
  const link = { purpose: 'confirm_email', email: person.email ?? '', userId, address } as const
  await requestLink(context, link).catch(ignoreRefusal)
}

async function endSessionsOfPerson(
  { sql, clock }: AccountsContext,
  { issuer, person }: VerifiedSignIn,
): Promise<void> {
  await sql.begin(async transaction => {
    const list = () => transaction<{ id: string }[]>`
      select distinct s.family_id as id from identities i join identity_sessions s on s.identity_id = i.id
        join refresh_tokens t on t.family_id = s.family_id and t.revoked_at is null
      where i.issuer = ${issuer.url} and i.subject = ${person.subject} order by s.family_id`
    await endListed(transaction, { list, now: new Date(clock.now()) })
  })
}
