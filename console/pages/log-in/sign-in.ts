import { takeVerifier } from '../../session/issuers.ts'
import { type Challenge, signChallenge } from '../../session/passkey.ts'
import { callAuth } from '../../session/rest.ts'
import { beginSession, type SessionAnswer } from '../../session/session.ts'

/** A log-in returns a session, or the challenge of a user with a second factor. */
type LogInAnswer = SessionAnswer | { challenge: Challenge }

/** Logs in with a password. Resolves to the challenge if a second factor is needed. */
export async function logIn(input: { email: string; password: string }): Promise<Challenge | undefined> {
  const answer = await callAuth<LogInAnswer>('POST', 'log-in', { body: input })
  if ('challenge' in answer) return answer.challenge
  beginSession(answer)
  return undefined
}

/** Completes a log-in with a code of the authenticator app, a recovery code or a passkey. */
export async function completeLogIn(
  { token }: Challenge,
  proof: { code: string } | { recovery_code: string } | { passkey: object },
): Promise<void> {
  const body = { challenge_token: token, ...proof }
  beginSession(await callAuth<SessionAnswer>('POST', 'complete-log-in', { body }))
}

/** Logs in with a passkey alone: the authenticator knows the user. */
export async function logInWithPasskey(passkeyFailed: string): Promise<void> {
  const { challenge } = await callAuth<{ challenge: Challenge }>('POST', 'start-passkey-log-in')
  await provePasskey(challenge, passkeyFailed)
}

/** Signs a challenge with a passkey. Throws `passkeyFailed` if the user cancels or has none. */
export async function provePasskey(challenge: Challenge, passkeyFailed: string): Promise<void> {
  await completeLogIn(challenge, { passkey: await signChallenge(challenge, passkeyFailed) })
}

/** Exchanges the code with which the issuer's page led back. */
export async function exchangeCode(code: string): Promise<void> {
  const body = { code, code_verifier: takeVerifier() }
  beginSession(await callAuth<SessionAnswer>('POST', 'sso/exchange', { body }))
}
