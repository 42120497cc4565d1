import { Problem } from '../../schema/errors.ts'
import { rememberNetwork } from '../accounts/known-networks.ts'
import type { AccountsContext } from '../accounts/limit-tries.ts'
import { ignoreRefusal, requireOwnLogIn } from '../accounts/log-in.ts'
import { requestLink } from '../accounts/mailed-links.ts'
import { endFamilies, issueSession, type Session } from '../accounts/sessions.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'
import { type CodeExchange, claimCode, type VerifiedSignIn } from './claim-code.ts'
import { findUser, type SignInOwner } from './find-user.ts'
import { lockPersonIn } from './lock-person.ts'
import { mappedAccount } from './read-person.ts'

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
  const owner = await findUser(context, signIn, address).catch(async error => {
    if (error instanceof Problem && error.status === 403) await endSessionsOfPerson(context, signIn)
    throw error
  })
  if (owner.isNew) await welcome(context, signIn, { ...owner, address })
  const session = await beginSession(context, signIn, { ...owner, address })
  await rememberNetwork(context, { userId: owner.id, address })
  return session
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

/** Begins the session of an identity, unless the person has logged out at the issuer since. */
async function beginSession(
  context: AccountsContext,
  { issuer, person, verifiedAt }: VerifiedSignIn,
  { id, accountId, identityId, address }: SignInOwner & { address: string },
): Promise<Session> {
  const { clock, ids } = context
  const { subject, issuerSession } = person
  return context.em.transactional(async em => {
    await lockPersonIn(em, { issuer: issuer.url, subject, issuerSession })
    const [logout] = await em.execute(
      `select 1 from issuer_logouts where issuer = ? and received_at >= ?
        and (issuer_session = ? or (issuer_session is null and subject = ?)) limit 1`,
      [issuer.url, verifiedAt, issuerSession, subject],
    )
    if (logout) throw new Problem('sign_in_expired')
    const now = clock.now()
    const endsAt = new Date(now + issuer.sessionHours * 3_600_000)
    const family = { id: ids.uuid(), beganAt: new Date(now), endsAt }
    const session = await issueSession(
      { ...context, em },
      { id, accountId },
      { address, confirmedAt: new Date(now), family },
    )
    await em.execute(
      'insert into identity_sessions (family_id, identity_id, issuer_session) values (?, ?, ?)',
      [family.id, identityId, issuerSession],
    )
    return session
  })
}

async function endSessionsOfPerson(
  { sql, clock }: AccountsContext,
  { issuer, person }: VerifiedSignIn,
): Promise<void> {
  await sql.begin(async transaction => {
    const families = await transaction<{ id: string }[]>`
      select s.family_id as id from identities i join identity_sessions s on s.identity_id = i.id
      where i.issuer = ${issuer.url} and i.subject = ${person.subject} order by s.family_id`
    await endFamilies(transaction, { ids: families.map(({ id }) => id), now: new Date(clock.now()) })
  })
}
