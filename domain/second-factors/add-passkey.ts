import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  type VerifiedRegistrationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import type { AccountsContext } from '../accounts/limit-tries.ts'
import { requireOwnLogIn } from '../accounts/log-in.ts'
import type { ActionMark } from '../audit/record-action.ts'
import { requireUnlimited } from '../callers/limited-sessions.ts'
import {
  type Challenge,
  challengeLifetimeMs,
  openChallenge,
  readChallenge,
  requireOwnChallenge,
  useChallenge,
} from './challenges.ts'
import type { OwnSession } from './confirm-identity.ts'
import { checkFactorName, lockUser, requireConfirmedAddress, requireFreePlace } from './factor-records.ts'
import { type Enrolment, finishEnrolment } from './finish-enrolment.ts'
import { parseRegistration } from './parse-credential.ts'
import { descriptorOf, listPasskeys } from './passkeys.ts'
import { relyingPartyOf } from './relying-party.ts'

/** The registration of a passkey that a user has begun. */
export interface StartedRegistration {
  token: string
  expiresAt: Date
  /** The argument of `navigator.credentials.create`, as JSON. */
  options: PublicKeyCredentialCreationOptionsJSON
}

/**
 * Begins the registration of a passkey. Throws `passkeys_unavailable`, `email_not_confirmed`, and `forbidden` if
 * users log in at a foreign issuer, or in a session that an issuer limits to its accounts.
 */
export async function startPasskeyRegistration(
  context: AccountsContext,
  session: OwnSession,
): Promise<StartedRegistration> {
  requireOwnLogIn(context.config)
  const { sql, config } = context
  const { id: rpID } = relyingPartyOf(config)
  const { userId } = session
  const [owner, passkeys] = await sql.begin(async transaction => [
    await lockUser(transaction, userId),
    await listPasskeys(transaction, userId),
  ])
  requireConfirmedAddress(config, owner)
  await requireUnlimited(context, session)
  const { email } = owner
  const challenge = await openChallenge(sql, context, { purpose: 'add_passkey', ...session })
  const options = await generateRegistrationOptions({
    rpName: rpID,
    rpID,
    userName: email,
    userDisplayName: email,
    userID: Buffer.from(userId),
    challenge: Buffer.from(challenge.webauthnChallenge, 'base64url'),
    timeout: challengeLifetimeMs,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
  return { token: challenge.token, expiresAt: challenge.expiresAt, options }
}

/**
 * Adds a passkey that an authenticator created for a challenge of this session. Throws `challenge_refused`,
 * `passkey_refused` if the passkey is for another challenge, origin or relying party or is already stored,
 * `validation_failed`, and `conflict` if the user has too many second factors.
 */
export async function addPasskey(
  context: AccountsContext & { action?: ActionMark | undefined },
  args: OwnSession & { challengeToken: string; name: string; passkey: unknown; address: string },
): Promise<Enrolment> {
  const { sql, ids } = context
  const { userId, familyId, address } = args
  const [name, registration] = [checkFactorName(args.name), parseRegistration(args.passkey)]
  const challenge = await readChallenge(context, { token: args.challengeToken, purposes: ['add_passkey'] })
  requireOwnChallenge(challenge, { userId, familyId })
  const verified = await verify(context, challenge, registration)
  const id = ids.uuid()
  return sql.begin(async transaction => {
    await lockUser(transaction, userId)
    await useChallenge(transaction, challenge)
    await requireFreePlace(transaction, userId)
    await store(transaction, context, { userId, id, name, verified })
    return finishEnrolment(transaction, context, { id, kind: 'passkey', userId, familyId, address })
  })
}

/** The algorithms of passkeys, as COSE numbers: EdDSA, ES256, RS256. Every authenticator has one of them. */
const algorithms = [-8, -7, -257]

type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>

async function verify(
  { config, log }: AccountsContext,
  challenge: Challenge,
  response: RegistrationResponseJSON,
): Promise<Registration> {
  const { id, origin } = relyingPartyOf(config)
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.webauthnChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (registrationInfo) return registrationInfo
  } catch (error) {
    // Every throw of this pure function is about the response, which came from outside.
    log.info({ err: error, userId: challenge.userId }, 'a new passkey was refused')
  }
  throw new Problem('passkey_refused', { param: 'passkey' })
}

async function store(
  sql: SqlTransaction,
  { clock }: AccountsContext,
  { userId, id, name, verified }: { userId: string; id: string; name: string; verified: Registration },
): Promise<void> {
  const now = new Date(clock.now())
  const { credential, userVerified } = verified
  const { id: credentialId, publicKey, counter, transports = [] } = credential
  const stored = await sql`
    insert into second_factors (user_id, id, kind, name, created_at, activated_at, credential_id, public_key, counter,
      transports, verifies_user)
    values (${userId}, ${id}, 'passkey', ${name}, ${now}, ${now}, ${Buffer.from(credentialId, 'base64url')},
      ${Buffer.from(publicKey)}, ${counter}, ${[...transports]}, ${userVerified})
    on conflict (credential_id) do nothing`
  if (stored.count === 0) throw new Problem('passkey_refused', { param: 'passkey' })
}
