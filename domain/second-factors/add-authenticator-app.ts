import { isUuid } from '../../platform/checks.ts'
import { Problem } from '../../schema/errors.ts'
import { type AccountsContext, limitFactorTries } from '../accounts/limit-tries.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import { type ActionMark, endAction } from '../audit/record-action.ts'
import { requireUnlimited } from '../callers/limited-sessions.ts'
import { wrong } from './check-proof.ts'
import type { OwnSession } from './confirm-identity.ts'
import { checkFactorName, lockUser, requireConfirmedAddress, requireFreePlace } from './factor-records.ts'
import { type Enrolment, finishEnrolment } from './finish-enrolment.ts'
import { associatedDataOfTotpSecret, createTotpSecret, totpUri, useTotpCode } from './totp.ts'

type EnrolmentContext = AccountsContext & { action?: ActionMark | undefined }

/** An authenticator app that waits for its first code. */
export interface PendingApp {
  id: string
  /** The secret in base32, for typing. It cannot be read again. */
  secret: string
  /** The `otpauth:` URI with the secret, for a QR code. */
  uri: string
}

/**
 * Creates the secret of a user's new authenticator app. It becomes a second factor when `activateAuthenticatorApp`
 * receives its first code. A user has at most one such pending app: the next one replaces it. Throws
 * `validation_failed`, `email_not_confirmed`, `conflict` if the user has too many second factors, and `forbidden` if users
 * log in at a foreign issuer, or in a session that an issuer limits to its accounts.
 */
export async function addAuthenticatorApp(
  context: EnrolmentContext,
  { userId, familyId, name }: OwnSession & { name: string },
): Promise<PendingApp> {
  requireOwnLogIn(context.config)
  await requireUnlimited(context, { familyId })
  const { sql, vault, clock, ids, config } = context
  const checkedName = checkFactorName(name)
  const [id, secret] = [ids.uuid(), createTotpSecret()]
  return sql.begin(async transaction => {
    const owner = await lockUser(transaction, userId)
    requireConfirmedAddress(config, owner)
    await requireFreePlace(transaction, userId)
    await transaction`delete from second_factors where user_id = ${userId} and activated_at is null`
    await transaction`
      insert into second_factors (user_id, id, kind, name, created_at, secret_sealed, last_step)
      values (${userId}, ${id}, 'totp', ${checkedName}, ${new Date(clock.now())},
        ${vault.seal(secret, associatedDataOfTotpSecret(userId, id))}, 0)`
    if (context.action) await endAction({ sql: transaction }, context.action, { type: 'SecondFactor', id })
    return { id, secret, uri: totpUri(config, { secret, email: owner.email }) }
  })
}

/**
 * Activates a user's pending authenticator app with the first code that it shows. Throws `not_found` if the user has no
 * such pending app, `wrong_second_factor`, `too_many_tries`.
 */
export async function activateAuthenticatorApp(
  context: EnrolmentContext,
  args: OwnSession & { id: string; code: string; address: string },
): Promise<Enrolment> {
  const { sql } = context
  const { userId, familyId, id, code, address } = args
  const [pending] = isUuid(id)
    ? await sql<{ email: string }[]>`
        select u.email from second_factors f join users u on u.id = f.user_id
        where f.user_id = ${userId} and f.id = ${id} and f.activated_at is null`
    : []
  if (!pending) throw new Problem('not_found')
  return limitFactorTries(context, { userId, email: pending.email, address }, () =>
    sql.begin(async transaction => {
      await lockUser(transaction, userId)
      await requireFreePlace(transaction, userId)
      if (!(await useTotpCode(transaction, context, { userId, code, id }))) throw wrong('code')
      return finishEnrolment(transaction, context, { id, kind: 'totp', userId, familyId, address })
    }),
  )
}
