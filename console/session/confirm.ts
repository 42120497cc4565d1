import type { Challenge } from './passkey.ts'
import { callAuth } from './rest.ts'
import { activeSession } from './session.ts'

/** The means with which the user can confirm the session (docs/sign-in.md, Confirmation). */
export interface Confirmation {
  hasPassword: boolean
  /** Its methods are empty if the user has no second factor. */
  challenge: Challenge
}

/** Begins a confirmation of the session. Throws `ServiceError`. */
export async function startConfirmation(): Promise<Confirmation> {
  const token = (await activeSession())?.token
  const [{ has_password }, { challenge }] = await Promise.all([
    callAuth<{ has_password: boolean }>('GET', 'status', { token }),
    callAuth<{ challenge: Challenge }>('POST', 'start-confirmation', { token }),
  ])
  return { hasPassword: has_password, challenge }
}

/** Confirms the session for ten minutes. Throws `ServiceError` if a proof is wrong or missing. */
export async function confirmIdentity(proof: {
  password?: string
  code?: string
  recovery_code?: string
  passkey?: object
  challenge_token?: string
}): Promise<void> {
  const token = (await activeSession())?.token
  await callAuth('POST', 'confirm', { body: proof, token })
}
