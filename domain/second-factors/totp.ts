import { Secret, TOTP } from 'otpauth'
import type { Config } from '../../platform/config/read-config.ts'
import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import type { Context } from '../context.ts'

/** RFC 6238 as every authenticator app reads it: SHA-1, six digits, steps of 30 seconds. */
const rules = { algorithm: 'SHA1', digits: 6, period: 30 } as const

/** Number of steps by which the clock of an authenticator app can be off, before or after. */
const driftSteps = 1

/** Number of random bytes of a secret, as RFC 4226 recommends for SHA-1. */
const secretBytes = 20

/** Creates the secret of an authenticator app, in base32. */
export function createTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32
}

/** Returns the `otpauth:` URI of a secret, which authenticator apps read from a QR code. */
export function totpUri(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { secret, email }: { secret: string; email: string },
): string {
  return totpOf(secret, { issuer: new URL(baseUrl).hostname, label: email }).toString()
}

/** Returns the time step to which a code belongs, or undefined if it is not a code of the secret around this time. */
export function stepOfCode(
  secret: string,
  { code, nowMs }: { code: string; nowMs: number },
): number | undefined {
  const totp = totpOf(secret)
  const drift = totp.validate({ token: code, timestamp: nowMs, window: driftSteps })
  return drift === null ? undefined : totp.counter({ timestamp: nowMs }) + drift
}

function totpOf(secret: string, names: { issuer?: string; label?: string } = {}): TOTP {
  return new TOTP({ ...rules, ...names, secret: Secret.fromBase32(secret) })
}

/** Returns the associated data of a sealed secret (`Vault`). */
export function associatedDataOfTotpSecret(userId: string, id: string): string {
  return `second_factors/${userId}/${id}/secret`
}

/** A code has six digits. Apps show it with a space, which clients may send. */
function digitsOf(code: string): string | undefined {
  const digits = code.replaceAll(/[\s-]/g, '')
  return /^\d{6}$/.test(digits) ? digits : undefined
}

/** Maximum length of the text of a code, in characters. */
const maxCodeLength = 20

/**
 * Uses up a code of one of the user's authenticator apps. With `id`, uses the first code of the pending app with this ID,
 * and activates the app. Resolves to whether the code was right and its time step had not been used.
 */
export async function useTotpCode(
  sql: SqlTransaction,
  { clock, vault }: Pick<Context, 'clock' | 'vault'>,
  { userId, code, id }: { userId: string; code: string; id?: string | undefined },
): Promise<boolean> {
  const digits = code.length <= maxCodeLength ? digitsOf(code) : undefined
  if (digits === undefined) return false
  const nowMs = clock.now()
  const apps = await sql<{ id: string; sealed: Uint8Array }[]>`
    select id, secret_sealed as sealed from second_factors
    where user_id = ${userId} and kind = 'totp'
      and ${id === undefined ? sql`activated_at is not null` : sql`activated_at is null and id = ${id}`}`
  for (const app of apps) {
    const secret = vault.open(app.sealed, associatedDataOfTotpSecret(userId, app.id))
    const step = stepOfCode(secret, { code: digits, nowMs })
    if (step === undefined) continue
    const now = new Date(nowMs)
    const used = await sql`
      update second_factors
      set last_step = ${step}, activated_at = coalesce(activated_at, ${now}),
        last_used_at = case when activated_at is null then null else ${now}::timestamptz end
      where user_id = ${userId} and id = ${app.id} and last_step < ${step}`
    if (used.count > 0) return true
  }
  return false
}
