import { addJob } from '../../platform/jobs/add-job.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import { addLink, readLinkToken } from '../accounts/mailed-links.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { readBalances } from '../billing/read-balances.ts'
import type { SessionCaller } from '../callers/caller.ts'
import type { Context } from '../context.ts'
import { announceKeyChanges } from '../keys/key-revision.ts'
import { lockMembers } from '../members/lock-members.ts'
import { lockClosed, markClosed, markOpen } from './close-account.ts'

type ClosureContext = Pick<Context, 'config' | 'sql' | 'redis' | 'clock' | 'ids'>

/** The times of a closing by an owner, and the money and tasks that are left in the account. */
export interface OwnClosure {
  closedAt: Date
  /** When the deletion of the data begins. Until then, an owner or the operator can reopen the account. */
  eraseAt: Date
  creditsNanos: bigint
  /** The amount that is reserved for work in progress. */
  heldNanos: bigint
  /** The number of tasks that have not ended. */
  runningTasks: number
}

/** The reason of a closing that operators read. */
const ownReason = 'Closed by an owner.'

/** Maximum number of owners who get the e-mail: the earliest members. */
const maxRecipients = 100

/**
 * Closes the account of an owner's session, as an operator's `closeAccount` does, and sends every owner with a confirmed
 * address an e-mail with a link that reopens it. `accountName` must be the name of the account, so that no client closes
 * another account by mistake. Throws `validation_failed` for another name, and `forbidden` if the caller is no longer an
 * owner.
 */
export async function closeOwnAccount(
  context: ClosureContext,
  args: { caller: SessionCaller; accountName: string; action?: ActionMark | undefined },
): Promise<OwnClosure> {
  const { caller, accountName, action } = args
  const { accountId } = caller
  const { times, keys } = await context.sql.begin(async sql => {
    await lockMembers(sql, { caller, needs: ['ownership'] })
    const [account] = await sql<{ name: string }[]>`select name from accounts where id = ${accountId}`
    if (account?.name !== accountName) refuseParam('accountName', 'must be the name of the account')
    const closed = await markClosed(sql, context.config, { accountId, reason: ownReason })
    await sendLinks(sql, context, { accountId, expiresAt: closed.times.eraseAt })
    if (action) await endAction({ sql }, action, { type: 'Account', id: accountId })
    return closed
  })
  await announceKeyChanges(context, { accountId, keys })
  return { ...times, ...(await readRest(context, { accountId })) }
}

/**
 * Reopens the account that an owner closed, with the link that an owner got. The link works once, and no other link of the
 * account works after it. Resolves to the account and the owner to whom the link was sent. Throws `link_refused` if the
 * token is invalid, was used or has expired, or if an operator has closed the account since; and `conflict` if the account
 * is not closed or the deletion of its data has begun.
 */
export async function reopenOwnAccount(
  context: ClosureContext,
  { token }: { token: string },
): Promise<{ accountId: string; userId: string }> {
  const { sql, clock, config } = context
  const id = readLinkToken(config, { token, purpose: 'reopen_account' })
  const refusal = () => new Problem('link_refused', { param: 'token' })
  const { owner, keys } = await sql.begin(async transaction => {
    const [link] = await transaction<{ accountId: string }[]>`
      select account_id as "accountId" from mailed_links where id = ${id} and purpose = 'reopen_account' and used_at is null`
    if (!link) throw refusal()
    await lockClosed(transaction, link)
    const [used] = await transaction<{ accountId: string; userId: string }[]>`
      update mailed_links set used_at = now()
      where id = ${id} and used_at is null and expires_at > ${new Date(clock.now())}
      returning account_id as "accountId", user_id as "userId"`
    if (!used) throw refusal()
    return { owner: used, keys: await markOpen(transaction, used) }
  })
  await announceKeyChanges(context, { accountId: owner.accountId, keys })
  return owner
}

/** Adds a link for each owner who has confirmed an address, and the jobs that send them. */
async function sendLinks(
  sql: SqlTransaction,
  context: Pick<Context, 'clock' | 'ids'>,
  { accountId, expiresAt }: { accountId: string; expiresAt: Date },
): Promise<void> {
  const owners = await sql<{ userId: string; email: string }[]>`
    select u.id as "userId", u.email from memberships m join users u on u.id = m.user_id
    where m.account_id = ${accountId} and m.role = 'owner' and u.email_confirmed_at is not null
    order by m.created_at, m.user_id limit ${maxRecipients}`
  for (const owner of owners) {
    const link = { ...owner, purpose: 'reopen_account', accountId, expiresAt } as const
    const linkId = await addLink(sql, context, link)
    await addJob(sql, { name: 'send-closure', payload: { linkId } })
  }
}

/** Reads the money and the tasks that are left. */
async function readRest(
  context: Pick<Context, 'sql'>,
  { accountId }: { accountId: string },
): Promise<Pick<OwnClosure, 'creditsNanos' | 'heldNanos' | 'runningTasks'>> {
  const [balances, [tasks]] = await Promise.all([
    readBalances(context, { accountIds: [accountId] }),
    context.sql<{ running: number }[]>`
      select count(*)::int as running from tasks where account_id = ${accountId} and finished_at is null`,
  ])
  const { creditsNanos = 0n, heldNanos = 0n } = balances[0] ?? {}
  return { creditsNanos, heldNanos, runningTasks: tasks?.running ?? 0 }
}
