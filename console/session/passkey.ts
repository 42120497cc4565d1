import { ServiceError } from './rest.ts'

/** A step that the user completes with a second factor, or with a passkey alone (docs/sign-in.md). */
export interface Challenge {
  token: string
  methods: ProofMethod[]
  passkey_options: object | null
}

/** A method of proving a second factor. */
export type ProofMethod = 'totp' | 'passkey' | 'recovery_code'

/** Creates a passkey with the options of its registration. Throws `passkey_cancelled` with the text `failed`. */
export async function createPasskey(options: unknown, failed: string): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null)
  if (!(credential instanceof PublicKeyCredential))
    throw new ServiceError(failed, { code: 'passkey_cancelled' })
  return credential.toJSON()
}

/** Signs a challenge with a passkey. Throws `passkey_cancelled` with the text `failed` if the user cancels or has none. */
export async function signChallenge({ passkey_options }: Challenge, failed: string): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    passkey_options as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null)
  if (!(credential instanceof PublicKeyCredential))
    throw new ServiceError(failed, { code: 'passkey_cancelled' })
  return credential.toJSON()
}
