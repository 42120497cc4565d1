import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { type AccountsContext, limitSignUps } from '../accounts/limit-tries.ts'
import { addAccount, addUser, lockAddress, mailDomainOf } from '../accounts/open-account.ts'
import { accountsOfIssuer } from '../callers/limited-sessions.ts'
import { lockUser } from '../second-factors/factor-records.ts'
import type { VerifiedSignIn } from './claim-code.ts'
import { joinAccount, refusal } from './join-account.ts'
import { mappedAccount } from './read-person.ts'

/** The user and the account of a sign-in. */
export interface SignInOwner {
  id: string
  accountId: string
  identityId: string
  /** Whether the user was created by this sign-in. */
  isNew: boolean
}

/**
 * Finds the user of a sign-in, or creates one, in a transaction that has locked the person (docs/sign-in.md, Who signs in
 * as whom). An identity is known by issuer and subject alone. Locks the user's row, so a concurrent change of the
 * password or of the identities waits and then ends the new session. Throws `sign_in_refused`, `identity_not_linked`,
 * `no_membership`, `too_many_tries`, and `sign_in_expired` if the identity is being removed.
 */
export async function findUser(
  sql: SqlTransaction,
  context: AccountsContext,
  { signIn, address }: { signIn: VerifiedSignIn; address: string },
): Promise<SignInOwner> {
  const { clock, ids } = context
  const { issuer } = signIn
  const now = new Date(clock.now())
  const known = await useIdentity(sql, signIn, now)
  const added = known ? undefined : await addPerson(sql, context, { signIn, address, now })
  const userId = known?.userId ?? added?.userId ?? ''
  const identityId = known?.id ?? ids.uuid()
  if (!known) await addIdentity(sql, { id: identityId, userId, signIn, now })
  const mapped = mappedAccount(issuer, signIn.person)
  if (mapped !== undefined) await joinAccount(sql, signIn, { userId, accountId: mapped, now })
  const accountId = mapped ?? (await chooseAccount(sql, issuer, userId))
  return { id: userId, accountId, identityId, isNew: added?.isNew ?? false }
}

/** Returns a known identity, after locking its user, as a removal of the identity does. */
async function useIdentity(
  sql: SqlTransaction,
  { issuer: { url }, person: { subject, email } }: VerifiedSignIn,
  now: Date,
): Promise<{ id: string; userId: string } | undefined> {
  const [known] = await sql<{ id: string; userId: string }[]>`
    select id, user_id as "userId" from identities where issuer = ${url} and subject = ${subject}`
  if (!known) return undefined
  await lockUser(sql, known.userId)
  const used = await sql`update identities set last_used_at = ${now}, email = ${email} where id = ${known.id}`
  if (used.count === 0) throw new Problem('sign_in_expired')
  return known
}

/** Adds an identity of a user, in a transaction. */
export async function addIdentity(
  sql: SqlTransaction,
  { id, userId, signIn, now }: { id: string; userId: string; signIn: VerifiedSignIn; now: Date },
): Promise<void> {
  const { issuer, person } = signIn
  await sql`
    insert into identities (id, user_id, issuer, subject, email, created_at, last_used_at)
    values (${id}, ${userId}, ${issuer.url}, ${person.subject}, ${person.email}, ${now}, ${now})`
}

interface NewPerson {
  signIn: VerifiedSignIn
  address: string
  now: Date
}

/** Finds or creates the user of a person who signs in for the first time. */
async function addPerson(
  sql: SqlTransaction,
  context: AccountsContext,
  { signIn, address, now }: NewPerson,
): Promise<{ userId: string; isNew: boolean }> {
  const { issuer, person } = signIn
  const { email, isEmailVerified } = person
  if (!email) throw refusal('The identity provider states no e-mail address.')
  if (issuer.accountsByDomain.has(mailDomainOf(email)) && !isEmailVerified)
    throw refusal('The identity provider has not verified your e-mail address.')
  await lockAddress(sql, email)
  const [owner] = await sql<{ id: string }[]>`
    select id from users where lower(email) = ${email} and email_confirmed_at is not null`
  const id = context.ids.uuid()
  const user = { id, email, name: person.name ?? email, passwordHash: null, now }
  if (mappedAccount(issuer, person) !== undefined) {
    if (owner) {
      await lockUser(sql, owner.id)
      return { userId: owner.id, isNew: false }
    }
    await addUser(sql, { ...user, isConfirmed: true })
    return { userId: id, isNew: true }
  }
  if (!issuer.opensAccounts)
    throw refusal('No account admits your e-mail domain. Ask an account for an invitation.')
  if (owner && isEmailVerified) throw new Problem('identity_not_linked')
  // As with a sign-up, the address is unconfirmed until its owner opens the link in the e-mail.
  await limitSignUps(context, address, () =>
    addAccount(sql, {
      ...user,
      accountId: context.ids.uuid(),
      name: person.name ?? email,
      isConfirmed: false,
    }),
  )
  return { userId: id, isNew: true }
}

/** Returns the account that the user used last. An issuer that only admits domains begins sessions only in their accounts. */
async function chooseAccount(
  sql: SqlTransaction,
  issuer: VerifiedSignIn['issuer'],
  userId: string,
): Promise<string> {
  const accounts = await accountsOf(sql, { userId })
  const admitted = accountsOfIssuer(issuer)
  const accountId = accounts.find(id => admitted?.has(id) ?? true)
  if (accountId === undefined) throw new Problem('no_membership')
  return accountId
}
