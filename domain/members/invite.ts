import { isUuid } from '../../platform/checks.ts'
import { dayMs } from '../../platform/clock.ts'
import { addJob } from '../../platform/jobs/add-job.ts'
import { sendsMail } from '../../platform/mail/send-mail.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Role } from '../../schema/entities/accounts.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from '../accounts/limit-tries.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { linksPerAddress } from '../accounts/mailed-links.ts'
import { checkEmail, normalizeEmail } from '../accounts/open-account.ts'
import { countTry } from '../accounts/try-counter.ts'
import { allowanceOf } from '../allowances/allowances.ts'
import { spend } from '../allowances/spend.ts'
import { standingOf } from '../allowances/standing.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { type Caller, callingKeyOf } from '../callers/caller.ts'
import { mayManageRole, scopesOf } from '../callers/scopes.ts'
import { roleForbidden } from './change-role.ts'
import { countInvitations, findInvitation, type Invitation } from './invitation-records.ts'
import { lockMembers } from './lock-members.ts'

/** The time for which a link of an invitation is valid, in milliseconds. */
export const invitationLifetimeMs = 7 * dayMs

type Inviting = { caller: Caller; action?: ActionMark | undefined }

/**
 * Invites the owner of an e-mail address to the account of the caller. The worker sends the e-mail. The work is the same
 * whether or not a user has the address. Throws `validation_failed`, `conflict` if the address has an invitation or
 * belongs to a member, `email_not_confirmed` if no member has confirmed an address, `allowance_exceeded`,
 * `too_many_tries`, `mail_not_configured`, and `forbidden` if the caller lacks a right of the role.
 */
export async function createInvitation(
  context: AccountsContext,
  { caller, action, ...given }: Inviting & { email: string; role: Role },
): Promise<Invitation> {
  const { accountId } = caller
  const { role } = given
  checkEmail(given.email)
  const email = normalizeEmail(given.email)
  if (!mayManageRole(scopesOf({ caller }), role)) throw roleForbidden(role)
  const { id, linkId, now, expiresAt } = await newLink(context, { accountId, email })
  const standing = await standingOf(context.allowances, accountId)
  const max = allowanceOf(context.allowances, standing, 'invitations')
  await context.sql.begin(async sql => {
    const scopes = await lockMembers(sql, { caller, needs: ['members'] })
    if (!mayManageRole(scopes, role)) throw roleForbidden(role)
    await requireInvitable(sql, { accountId, email })
    await sql`delete from invitations where account_id = ${accountId} and email = ${email} and expires_at <= ${now}`
    if ((await countInvitations({ sql }, { accountId })) >= max)
      throw new Problem('validation_failed', {
        message: `The account can have at most ${max} open invitations (its allowance of invitations). Revoke one first.`,
      })
    const inviter = caller.kind === 'session' && caller.familyId !== undefined ? caller.userId : null
    const { count } = await sql`
      insert into invitations (account_id, id, link_id, email, role, invited_by, invited_by_key, created_at, sent_at, expires_at)
      values (${accountId}, ${id}, ${linkId}, ${email}, ${role}, ${inviter}, ${callingKeyOf(caller) ?? null}, ${now}, ${now},
        ${expiresAt})
      on conflict (account_id, email) do nothing`
    if (count === 0)
      throw new Problem('conflict', {
        param: 'email',
        message: 'This address already has an invitation. Send it again, or revoke it first.',
      })
    await sendLater(sql, linkId)
    if (action) await endAction({ sql }, action)
  })
  return findInvitation(context, { accountId, id })
}

/**
 * Sends the e-mail of an invitation again. The previous link stops working, and the new one is valid for seven days.
 * Throws `invitation_not_found`, `allowance_exceeded`, `too_many_tries`, `mail_not_configured`, and `forbidden` if
 * the caller lacks a right of the role.
 */
export async function resendInvitation(
  context: AccountsContext,
  { caller, id, action }: Inviting & { id: string },
): Promise<Invitation> {
  const { accountId } = caller
  const { email } = await findInvitation(context, { accountId, id })
  const { linkId, now, expiresAt } = await newLink(context, { accountId, email })
  await context.sql.begin(async sql => {
    await requireRights(sql, { caller, id })
    await sql`
      update invitations set link_id = ${linkId}, sent_at = ${now}, expires_at = ${expiresAt}
      where account_id = ${accountId} and id = ${id}`
    await sendLater(sql, linkId)
    if (action) await endAction({ sql }, action)
  })
  return findInvitation(context, { accountId, id })
}

/**
 * Revokes an invitation: its link stops working. Throws `invitation_not_found`, and `forbidden` if the caller lacks a
 * right of the role.
 */
export async function revokeInvitation(
  { sql }: Pick<AccountsContext, 'sql'>,
  { caller, id, action }: Inviting & { id: string },
): Promise<void> {
  if (!isUuid(id)) throw new Problem('invitation_not_found')
  await sql.begin(async transaction => {
    await requireRights(transaction, { caller, id })
    await transaction`delete from invitations where account_id = ${caller.accountId} and id = ${id}`
    if (action) await endAction({ sql: transaction }, action)
  })
}

/** Returns the identifiers and times of a new link, after the limits of the address and the account are checked. */
async function newLink(
  context: AccountsContext,
  { accountId, email }: { accountId: string; email: string },
): Promise<{ id: string; linkId: string; now: Date; expiresAt: Date }> {
  const { config, clock, ids, allowances, tries } = context
  requireOwnLogIn(config)
  if (!sendsMail(config)) throw new Problem('mail_not_configured')
  await spend(allowances, await standingOf(allowances, accountId), { resource: 'invitation_mails' })
  await countTry(tries, { name: `invite:${email}`, max: linksPerAddress })
  const nowMs = clock.now()
  const expiresAt = new Date(nowMs + invitationLifetimeMs)
  return { id: ids.uuid(), linkId: ids.uuid(), now: new Date(nowMs), expiresAt }
}

/** Locks the members, and checks that the caller may manage an invitation. Throws `invitation_not_found`, `forbidden`. */
async function requireRights(
  sql: SqlTransaction,
  { caller, id }: { caller: Caller; id: string },
): Promise<void> {
  const scopes = await lockMembers(sql, { caller, needs: ['members'] })
  const [invitation] = await sql<{ role: Role }[]>`
    select role from invitations where account_id = ${caller.accountId} and id = ${id}`
  if (!invitation) throw new Problem('invitation_not_found')
  if (!mayManageRole(scopes, invitation.role)) throw roleForbidden(invitation.role)
}

/** Throws `email_not_confirmed` unless a member has confirmed an address, and `conflict` if the address is a member's. */
async function requireInvitable(
  sql: SqlTransaction,
  { accountId, email }: { accountId: string; email: string },
): Promise<void> {
  const [members] = await sql<{ isAny: boolean | null; isMember: boolean | null }[]>`
    select count(*) > 0 as "isAny", bool_or(lower(u.email) = ${email}) as "isMember"
    from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and u.email_confirmed_at is not null`
  if (!members?.isAny)
    throw new Problem('email_not_confirmed', {
      message: 'Confirm your e-mail address before you invite others.',
    })
  if (members.isMember)
    throw new Problem('conflict', {
      param: 'email',
      message: 'The person with this address is already a member.',
    })
}

async function sendLater(sql: SqlTransaction, linkId: string): Promise<void> {
  await addJob(sql, { name: 'send-invitation', payload: { invitationLinkId: linkId } })
}
