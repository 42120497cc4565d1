import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
  type VerifiedAuthenticationResponse,
  verifyAuthenticationResponse,
} from '@simplewebauthn/server'
import type { Sql, SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'
import { type Challenge, challengeLifetimeMs } from './challenges.ts'
import { relyingPartyOf } from './relying-party.ts'

/** A stored passkey. */
export interface Passkey {
  userId: string
  id: string
  credentialId: Uint8Array
  publicKey: Uint8Array
  counter: bigint
  transports: string[]
}

/** Lists the passkeys of a user. */
export async function listPasskeys(sql: Sql | SqlTransaction, userId: string): Promise<Passkey[]> {
  return sql<
    Passkey[]
  >`select ${columns(sql)} from second_factors where user_id = ${userId} and kind = 'passkey'`
}

/** Finds the passkey with a credential ID, in base64url. Resolves to undefined if no user has it. */
export async function findPasskey(sql: Sql | SqlTransaction, id: string): Promise<Passkey | undefined> {
  const [passkey] = await sql<Passkey[]>`
    select ${columns(sql)} from second_factors where credential_id = ${Buffer.from(id, 'base64url')}`
  return passkey
}

function columns(sql: Sql | SqlTransaction) {
  return sql`user_id as "userId", id, credential_id as "credentialId", public_key as "publicKey", counter, transports`
}

/**
 * Returns the options with which a browser asks for a passkey. Without passkeys of a user, the browser offers the
 * passkeys that it has for this service. Throws `passkeys_unavailable`.
 */
export function passkeyOptions(
  { config }: Pick<Context, 'config'>,
  { webauthnChallenge, passkeys }: { webauthnChallenge: string; passkeys?: readonly Passkey[] | undefined },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: relyingPartyOf(config).id,
    challenge: Buffer.from(webauthnChallenge, 'base64url'),
    timeout: challengeLifetimeMs,
    userVerification: passkeys ? 'preferred' : 'required',
    ...(passkeys && { allowCredentials: passkeys.map(descriptorOf) }),
  })
}

/** Returns how browsers identify a passkey. */
export function descriptorOf({ credentialId, transports }: Passkey): { id: string; transports: string[] } {
  return { id: Buffer.from(credentialId).toString('base64url'), transports }
}

/**
 * Verifies a passkey's signed response to a challenge and stores the authenticator's counter. Resolves to whether the
 * authenticator verified the user (by PIN or biometrics), or to undefined if the response is not valid: another
 * signature, challenge, origin or relying party, an absent user, or a counter that did not grow, as with a cloned
 * authenticator.
 */
export async function usePasskey(
  sql: SqlTransaction,
  context: Pick<Context, 'clock' | 'config' | 'log'>,
  {
    passkey,
    challenge,
    assertion,
  }: { passkey: Passkey; challenge: Challenge; assertion: AuthenticationResponseJSON },
): Promise<{ isUserVerified: boolean } | undefined> {
  const verified = await verify(context, { passkey, challenge, assertion })
  if (!verified?.verified) return undefined
  const { newCounter, userVerified } = verified.authenticationInfo
  const used = await sql`
    update second_factors set counter = ${newCounter}, last_used_at = ${new Date(context.clock.now())},
      verifies_user = verifies_user or ${userVerified}
    where user_id = ${passkey.userId} and id = ${passkey.id} and counter = ${passkey.counter}`
  return used.count > 0 ? { isUserVerified: userVerified } : undefined
}

async function verify(
  { config, log }: Pick<Context, 'config' | 'log'>,
  options: { passkey: Passkey; challenge: Challenge; assertion: AuthenticationResponseJSON },
): Promise<VerifiedAuthenticationResponse | undefined> {
  const { passkey, challenge, assertion } = options
  const { id, origin } = relyingPartyOf(config)
  try {
    return await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge: challenge.webauthnChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: false,
      credential: {
        id: descriptorOf(passkey).id,
        publicKey: Uint8Array.from(passkey.publicKey),
        counter: Number(passkey.counter),
      },
    })
  } catch (error) {
    // Every throw of this pure function is about the response, which came from outside.
    log.info({ err: error, userId: passkey.userId }, 'a passkey was refused')
    return undefined
  }
}
