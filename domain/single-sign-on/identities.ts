import { isUuid } from '../../platform/checks.ts'
import type { Issuer } from '../../platform/config/issuers.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { endFamilies } from '../accounts/sessions.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { requireUnlimited } from '../callers/limited-sessions.ts'
import type { Context } from '../context.ts'
import { lockUser } from '../second-factors/factor-records.ts'
import { requireSignIn } from '../second-factors/require-sign-in.ts'
import { type CodeExchange, claimCode } from './claim-code.ts'
import { addIdentity } from './find-user.ts'
import { lockPerson } from './lock-person.ts'

/** An identity with which a user signs in. */
export interface LinkedIdentity {
  id: string
  issuerUrl: string
  /** The address that the issuer stated last. It is not confirmed by that. */
  email: string | null
  createdAt: Date
  lastUsedAt: Date
}

/** Maximum number of identities of a user. */
export const maxIdentities = 10

type IdentitiesContext = Pick<Context, 'sql' | 'clock' | 'ids' | 'config'>

/** Lists the identities of a user, earliest first. With `ids`, only those. */
export async function listIdentities(
  { sql }: Pick<Context, 'sql'>,
  { userId, ids }: { userId: string; ids?: readonly string[] },
): Promise<LinkedIdentity[]> {
  if (!isUuid(userId)) return []
  return sql<LinkedIdentity[]>`
    select ${columns(sql)} from identities where user_id = ${userId}
      ${ids ? sql`and id = any (${ids.filter(isUuid)}::uuid[])` : sql``}
    order by created_at, id limit ${maxIdentities}`
}

/** Returns the issuer of an identity, if the settings still have it. */
export function issuerOf(
  { config }: Pick<Context, 'config'>,
  { issuerUrl }: LinkedIdentity,
): Issuer | undefined {
  return [...config.issuers.values()].find(({ url }) => url === issuerUrl)
}

/**
 * Links the identity of a completed sign-in to a user, who began it in a session. Linking it again changes nothing.
 * Throws `sign_in_expired`, `identity_taken` if it is linked to another user, `conflict` if the user has
 * `maxIdentities`, and `forbidden` in a session that an issuer limits to its accounts.
 */
export async function linkIdentity(
  context: IdentitiesContext,
  args: CodeExchange & {
    userId: string
    familyId: string | undefined
    action?: ActionMark | undefined
  },
): Promise<LinkedIdentity> {
  const { userId, familyId, action, ...exchange } = args
  await requireUnlimited(context, { familyId })
  const signIn = await claimCode(context, exchange)
  const { sql, clock, ids } = context
  const { issuer, person } = signIn
  return sql.begin(async transaction => {
    const now = new Date(clock.now())
    await lockPerson(transaction, { issuer: issuer.url, ...person })
    await lockUser(transaction, userId)
    const [known] = await transaction<{ userId: string }[]>`
      select user_id as "userId" from identities where issuer = ${issuer.url} and subject = ${person.subject}`
    if (known && known.userId !== userId) throw new Problem('identity_taken')
    const others = await transaction`select from identities where user_id = ${userId}`
    if (!known && others.count >= maxIdentities)
      throw new Problem('conflict', {
        message: `You have ${maxIdentities} linked identities. Remove one first.`,
      })
    if (!known) await addIdentity(transaction, { id: ids.uuid(), userId, signIn, now })
    if (action) await endAction({ sql: transaction }, action)
    const [identity] = await transaction<LinkedIdentity[]>`
      select ${columns(sql)} from identities where issuer = ${issuer.url} and subject = ${person.subject}`
    if (!identity) throw new Problem('conflict')
    return identity
  })
}

/**
 * Removes an identity of a user and ends the sessions that it began. Throws `identity_not_found`, and `last_sign_in` if
 * the user could no longer sign in (`requireSignIn`).
 */
export async function unlinkIdentity(
  { sql, clock, config }: Pick<Context, 'sql' | 'clock' | 'config'>,
  { userId, id, action }: { userId: string; id: string; action?: ActionMark | undefined },
): Promise<void> {
  if (!isUuid(id) || !isUuid(userId)) throw new Problem('identity_not_found')
  await sql.begin(async transaction => {
    await lockUser(transaction, userId)
    const families = await transaction<{ id: string }[]>`
      select s.family_id as id from identity_sessions s join identities i on i.id = s.identity_id
      where i.id = ${id} and i.user_id = ${userId} order by s.family_id`
    await endFamilies(transaction, { ids: families.map(family => family.id), now: new Date(clock.now()) })
    const removed = await transaction`delete from identities where id = ${id} and user_id = ${userId}`
    if (removed.count === 0) throw new Problem('identity_not_found')
    await requireSignIn(transaction, config, { userId })
    if (action) await endAction({ sql: transaction }, action)
  })
}

function columns(sql: Sql) {
  return sql`id, issuer as "issuerUrl", email, created_at as "createdAt", last_used_at as "lastUsedAt"`
}
