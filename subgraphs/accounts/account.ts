import { Directive, Field, ID, ObjectType } from 'type-graphql'
import { type Account as AccountRecord, readAccount } from '../../domain/accounts/accounts.ts'
import type { Session as IssuedSession } from '../../domain/accounts/sessions.ts'
import type { OwnSession } from '../../domain/second-factors/confirm-identity.ts'
import { Problem } from '../../schema/errors.ts'
import type { Actor } from '../runtime/audit-mutations.ts'
import { type Call, requireSession } from '../runtime/call.ts'
import { DateTime } from '../runtime/scalars.ts'
import type { SubgraphContext } from '../runtime/services.ts'

@ObjectType({
  description: 'An account: a customer of the platform. It owns API keys, a balance, tasks and logs.',
})
@Directive('@key(fields: "id")')
export class Account {
  @Field(() => ID, { description: "The account's ID." })
  id!: string

  @Field(() => String, { description: "The account's name." })
  name!: string

  @Field(() => DateTime, { description: 'When the account was created.' })
  createdAt!: Date
}

export function presentAccount({ id, name, createdAt }: AccountRecord): Account {
  return { id, name, createdAt }
}

@ObjectType({ description: 'A session and its tokens.' })
export class Session {
  @Field(() => String, {
    description: 'The access token. Send it as a bearer token in the header `Authorization`.',
  })
  accessToken!: string

  @Field(() => DateTime, { description: 'When the access token expires.' })
  expiresAt!: Date

  @Field(() => String, {
    description: 'The refresh token. It is valid for one refresh; using it twice ends the session.',
  })
  refreshToken!: string

  @Field(() => Account, { description: 'The account of the session.' })
  account!: Account
}

/** Presents a session that was issued, and its user for the audit log. */
export async function presentSession(
  context: SubgraphContext,
  session: IssuedSession,
): Promise<{ session: Session; actor: Actor }> {
  const { accountId, userId, ...tokens } = session
  const account = presentAccount(await readAccount(context, { accountId }))
  return { session: { ...tokens, account }, actor: { accountId, userId } }
}

/**
 * Returns the user and the session of the caller. Throws `jwt_required` for an API key, and `forbidden` for a session of
 * a foreign issuer, which has its own second factors.
 */
export function requireOwnSession(call: Call): OwnSession {
  const { userId, familyId } = requireSession(call)
  if (familyId === undefined)
    throw new Problem('forbidden', { message: 'Your identity provider manages your sign-in.' })
  return { userId, familyId }
}
