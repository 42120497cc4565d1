import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import type { Context } from '../context.ts'
import type { OpenedChallenge } from './challenges.ts'
import { countFactors } from './factor-records.ts'
import { listPasskeys, passkeyOptions } from './passkeys.ts'
import { countRecoveryCodes } from './recovery-codes.ts'
import { supportsPasskeys } from './relying-party.ts'

/** How a user can prove a second factor. */
export type ProofMethod = 'totp' | 'passkey' | 'recovery_code'

/** A challenge as its client gets it. */
export interface PresentedChallenge {
  token: string
  expiresAt: Date
  /** The methods that the user can use. Empty if the user has no second factor. */
  methods: ProofMethod[]
  /** The argument of `navigator.credentials.get`, as JSON. Null if the user has no passkey. */
  passkeyOptions: PublicKeyCredentialRequestOptionsJSON | null
}

/** Presents a challenge to its client. Without a user, the challenge is for any passkey. Throws `passkeys_unavailable`. */
export async function presentChallenge(
  context: Pick<Context, 'sql' | 'config'>,
  { challenge, userId }: { challenge: OpenedChallenge; userId: string | undefined },
): Promise<PresentedChallenge> {
  const { token, expiresAt, webauthnChallenge } = challenge
  if (userId === undefined)
    return {
      token,
      expiresAt,
      methods: ['passkey'],
      passkeyOptions: await passkeyOptions(context, { webauthnChallenge }),
    }
  const { sql, config } = context
  const [{ totp }, codes, stored] = await Promise.all([
    countFactors(sql, { userId }),
    countRecoveryCodes(sql, { userId }),
    listPasskeys(sql, userId),
  ])
  const passkeys = supportsPasskeys(config) ? stored : []
  const options = passkeys.length > 0 ? await passkeyOptions(context, { webauthnChallenge, passkeys }) : null
  const methods: ProofMethod[] = [
    ...(totp > 0 ? (['totp'] as const) : []),
    ...(options ? (['passkey'] as const) : []),
    ...(codes > 0 ? (['recovery_code'] as const) : []),
  ]
  return { token, expiresAt, methods, passkeyOptions: options }
}
