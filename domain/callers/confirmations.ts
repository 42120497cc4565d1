import type { Clock } from '../../platform/clock.ts'
import type { Caller } from './caller.ts'

/** The time for which a session counts as confirmed after a log-in or a confirmation, in milliseconds. */
export const confirmationLastsMs = 10 * 60_000

/**
 * The operations that need a recent confirmation of the session's user (docs/sign-in.md, Confirmation). A mutation
 * without it fails with `confirmation_required`; a field without it is null. API keys are not users and need none.
 */
const confirmedOperations: ReadonlySet<string> = new Set([
  'ApiKey.fullKey',
  'Mutation.changePassword',
  'Mutation.requestEmailChange',
  'Mutation.updateMember',
  'Mutation.removeMember',
  'Mutation.createInvitation',
  'Mutation.resendInvitation',
  'Mutation.addAuthenticatorApp',
  'Mutation.activateAuthenticatorApp',
  'Mutation.startPasskeyRegistration',
  'Mutation.addPasskey',
  'Mutation.removeSecondFactor',
  'Mutation.renewRecoveryCodes',
  'Mutation.linkIdentity',
  'Mutation.unlinkIdentity',
  'Mutation.requireSecondFactor',
  'Mutation.closeOwnAccount',
  'Mutation.updateAutomaticTopUp',
  'Mutation.startCardSetup',
  'Mutation.removeSavedCard',
  'Mutation.openBillingPortal',
])

/**
 * The operations that remain permitted to a user who has no second factor although the account requires one: to add one,
 * to confirm the address, to log out, and to use other accounts.
 */
const enrolmentOperations: ReadonlySet<string> = new Set([
  'Query.me',
  'Query.viewer',
  'Query.signInStatus',
  'Query.secondFactors',
  'Mutation.addAuthenticatorApp',
  'Mutation.activateAuthenticatorApp',
  'Mutation.startPasskeyRegistration',
  'Mutation.addPasskey',
  'Mutation.startConfirmation',
  'Mutation.confirmIdentity',
  'Mutation.logOut',
  'Mutation.requestEmailConfirmation', // before that, no second factor can be added
  'Query.memberships',
  'Mutation.switchAccount',
  'Mutation.leaveAccount',
  'Mutation.acceptInvitation',
])

/** Returns every operation of both lists. */
export function guardedOperations(): string[] {
  return [...new Set([...confirmedOperations, ...enrolmentOperations])]
}

/**
 * Returns until when a session counts as confirmed. Undefined for other callers, and for sessions of a foreign issuer,
 * which is responsible for them.
 */
export function confirmedUntil(caller: Caller | undefined): Date | undefined {
  if (caller?.kind !== 'session' || caller.confirmedAtMs === undefined) return undefined
  return new Date(caller.confirmedAtMs + confirmationLastsMs)
}

/** Returns whether an operation needs a confirmation that the caller has not given recently. */
export function needsConfirmation(
  operation: string,
  { caller, clock }: { caller?: Caller | undefined; clock: Clock },
): boolean {
  if (!confirmedOperations.has(operation)) return false
  const until = confirmedUntil(caller)
  return until !== undefined && until.getTime() <= clock.now()
}

/** Returns whether the caller must add a second factor before the operation. */
export function needsSecondFactor(operation: string, caller: Caller | undefined): boolean {
  return (
    caller?.kind === 'session' && caller.lacksSecondFactor === true && !enrolmentOperations.has(operation)
  )
}
