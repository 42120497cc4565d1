import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { AccountRefusal, Role } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { rememberNetwork } from '../accounts/known-networks.ts'
import { type AccountsContext, limitSignUps } from '../accounts/limit-tries.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { readLinkToken } from '../accounts/mailed-links.ts'
import { addMembership, addUser, checkName, checkPassword } from '../accounts/open-account.ts'
import { beginFirstSession, type Session } from '../accounts/sessions.ts'
import type { Caller } from '../callers/caller.ts'
import { raiseRevisions } from '../keys/raise-revisions.ts'

/** The result of accepting an invitation. */
export interface Accepted {
  accountId: string
  userId: string
  /** The first session of a user who signed up with the invitation. Other users log in, or switch to the account. */
  session: Session | undefined
}

interface Given {
  token: string
  /** The password of a new user. */
  password?: string | null | undefined
  /** The name of a new user; the e-mail address by default. */
  name?: string | null | undefined
}

/**
 * Accepts an invitation, which proves that the caller reads e-mails to its address. A link works once. The user who
 * confirmed the address becomes a member; if there is none, a new user is created with `password`, also while sign-up is
 * closed. Nobody else becomes a member. Throws `link_refused`, `wrong_address` if another user is logged in,
 * `validation_failed`, `account_suspended`, `account_closed`, `too_many_tries`, and `forbidden` if users log in at a foreign issuer.
 */
export async function acceptInvitation(
  context: AccountsContext,
  { caller, address, ...given }: Given & { caller: Caller | undefined; address: string },
): Promise<Accepted> {
  const { config, sql } = context
  requireOwnLogIn(config)
  const linkId = readLinkToken(config, { token: given.token, purpose: 'accept_invitation' })
  const invitation = await findOpen(context, linkId)
  const owner = await ownerOf(sql, invitation)
  if (caller?.kind === 'session' && caller.userId !== owner) throw new Problem('wrong_address')
  if (owner === undefined) return signUpWith(context, { linkId, invitation, given, address })
  if (given.password)
    refuseParam('password', 'must be left out: a user has this e-mail address. Log in instead')
  const accountId = await sql.begin(transaction => join(transaction, context, { linkId, userId: owner }))
  return { accountId, userId: owner, session: undefined }
}

interface OpenInvitation {
  accountId: string
  email: string
  role: Role
}

/** Finds the invitation of a link. Throws `link_refused` if it was accepted, revoked or has expired. */
async function findOpen({ sql, clock }: AccountsContext, linkId: string): Promise<OpenInvitation> {
  const [invitation] = await sql<OpenInvitation[]>`
    select account_id as "accountId", email, role from invitations
    where link_id = ${linkId} and expires_at > ${new Date(clock.now())}`
  if (invitation) return invitation
  throw new Problem('link_refused', { param: 'token' })
}

/** Returns the ID of the user who confirmed the address. */
async function ownerOf(
  sql: AccountsContext['sql'] | SqlTransaction,
  { email }: { email: string },
): Promise<string | undefined> {
  const [user] = await sql<{ id: string }[]>`
    select id from users where lower(email) = ${email} and email_confirmed_at is not null`
  return user?.id
}

/** Creates the user of an invitation and begins a session. */
async function signUpWith(
  context: AccountsContext,
  args: { linkId: string; invitation: OpenInvitation; given: Given; address: string },
): Promise<Accepted> {
  const { linkId, invitation, given, address } = args
  const { sql, clock, ids, passwords } = context
  const { password, name } = given
  if (!password) refuseParam('password', 'is required, because no user has confirmed the address yet')
  checkPassword(password, 'password')
  checkName(name)
  const id = ids.uuid()
  const { email } = invitation
  const accountId = await limitSignUps(context, address, async () => {
    const passwordHash = await passwords.hash(password, address)
    return sql.begin(async transaction => {
      const now = new Date(clock.now())
      const user = { id, email, name: name?.trim() || email, passwordHash, isConfirmed: true, now }
      // The address was confirmed a moment ago: accepting again without a password makes its owner a member.
      if (!(await addUser(transaction, user))) throw new Problem('conflict')
      return join(transaction, context, { linkId, userId: id })
    })
  })
  await raiseRevisions(context, { accountId }) // a member has confirmed an address
  await rememberNetwork(context, { userId: id, address })
  return {
    accountId,
    userId: id,
    session: await beginFirstSession(context, { id, accountId }, { address }),
  }
}

/** Uses the link and adds the member. Resolves to the ID of the account. Of two concurrent calls, one is refused. */
async function join(
  sql: SqlTransaction,
  { clock }: AccountsContext,
  { linkId, userId }: { linkId: string; userId: string },
): Promise<string> {
  const now = new Date(clock.now())
  const [used] = await sql<(OpenInvitation & { refusal: AccountRefusal | null })[]>`
    delete from invitations i using accounts a
    where a.id = i.account_id and i.link_id = ${linkId} and i.expires_at > ${now}
    returning i.account_id as "accountId", i.email, i.role, account_refusal(a.suspended_at, a.closed_at) as refusal`
  if (!used) throw new Problem('link_refused', { param: 'token' })
  if (used.refusal) throw new Problem(used.refusal)
  if ((await ownerOf(sql, used)) !== userId) throw new Problem('link_refused', { param: 'token' })
  await addMembership(sql, { accountId: used.accountId, userId, role: used.role, now })
  return used.accountId
}
