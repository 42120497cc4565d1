import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { type AccountsContext, limitSignUps } from '../accounts/limit-tries.ts'
import { addAccount, addUser } from '../accounts/open-account.ts'
import { accountsOfIssuer } from '../callers/limited-sessions.ts'
import type { VerifiedSignIn } from './claim-code.ts'
import { joinAccount, refusal } from './join-account.ts'
import { lockPerson } from './lock-person.ts'
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
 * Finds the user of a sign-in, or creates one, in one transaction (docs/sign-in.md, Who signs in as whom). An identity
 * is known by issuer and subject alone. Throws `sign_in_refused`, `identity_not_linked`, `no_membership`,
 * `too_many_tries`.
 */
export async function findUser(
  context: AccountsContext,
  signIn: VerifiedSignIn,
  address: string,
): Promise<SignInOwner> {
  const { sql, clock, ids } = context
  const { issuer, person } = signIn
  return sql.begin(async transaction => {
    const now = new Date(clock.now())
    await lockPerson(transaction, { issuer: issuer.url, ...person })
    const [known] = await transaction<{ id: string; userId: string }[]>`
      update identities set last_used_at = ${now}, email = ${person.email}
      where issuer = ${issuer.url} and subject = ${person.subject} returning id, user_id as "userId"`
    const added = known ? undefined : await addPerson(transaction, context, { signIn, address, now })
    const userId = known?.userId ?? added?.userId ?? ''
    const identityId = known?.id ?? ids.uuid()
    if (!known) await addIdentity(transaction, { id: identityId, userId, signIn, now })
    const mapped = mappedAccount(issuer, person)
    if (mapped !== undefined) await joinAccount(transaction, signIn, { userId, accountId: mapped, now })
    const accountId = mapped ?? (await chooseAccount(transaction, issuer, userId))
    return { id: userId, accountId, identityId, isNew: added?.isNew ?? false }
  })
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
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (issuer.accountsByDomain.has(domain) && !isEmailVerified)
    throw refusal('The identity provider has not verified your e-mail address.')
  await sql`select pg_advisory_xact_lock(hashtextextended(${`confirm ${email}`}, 0))`
  const [owner] = await sql<{ id: string }[]>`
    select id from users where lower(email) = ${email} and email_confirmed_at is not null`
  const id = context.ids.uuid()
  const user = { id, email, name: person.name ?? email, passwordHash: null, now }
  if (mappedAccount(issuer, person) !== undefined) {
    if (owner) return { userId: owner.id, isNew: false }
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
