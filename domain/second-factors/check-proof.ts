import type { SqlTransaction } from '../../platform/postgres/open-postgres.ts'
import { Problem } from '../../schema/errors.ts'
import { refuseParam } from '../../schema/refuse-param.ts'
import type { Context } from '../context.ts'
import { addNotice } from '../sign-in-notices/add-notice.ts'
import type { Challenge } from './challenges.ts'
import { parseAssertion } from './parse-credential.ts'
import { findPasskey, usePasskey } from './passkeys.ts'
import { useRecoveryCode } from './recovery-codes.ts'
import { useTotpCode } from './totp.ts'

/** The proof of a second factor that a client sends: exactly one of the fields. */
export interface Proof {
  /** The code that an authenticator app shows. */
  code?: string | null | undefined
  recoveryCode?: string | null | undefined
  /** A passkey's signed response, as JSON. */
  passkey?: unknown
}

type ProofContext = Pick<Context, 'clock' | 'config' | 'ids' | 'log' | 'vault'>

/** Returns whether a proof has one of its fields. Throws `validation_failed` if it has several. */
export function isGiven(proof: Proof): boolean {
  const given = [proof.code, proof.recoveryCode, proof.passkey].filter(isSet)
  if (given.length > 1) refuseParam('code', 'must not be sent together with recoveryCode or passkey')
  return given.length === 1
}

/**
 * Checks a proof of a user's second factor and uses it up. A passkey needs the challenge that it signed. Resolves to
 * whether a passkey proved the user alone, because its authenticator verified the user. Throws `wrong_second_factor`,
 * and `validation_failed` for a passkey in an unknown format.
 */
export async function checkProof(
  sql: SqlTransaction,
  context: ProofContext,
  args: { userId: string; proof: Proof; challenge: Challenge | undefined; address: string },
): Promise<{ isUserVerified: boolean }> {
  const { userId, proof, challenge, address } = args
  if (isSet(proof.passkey)) return checkPasskey(sql, context, { userId, challenge, passkey: proof.passkey })
  const { code, recoveryCode } = proof
  if (isSet(code) && (await useTotpCode(sql, context, { userId, code }))) return { isUserVerified: false }
  if (isSet(recoveryCode) && (await useRecoveryCode(sql, context, { userId, code: recoveryCode }))) {
    await addNotice(sql, context, { userId, change: 'recovery_code_used', address })
    return { isUserVerified: false }
  }
  throw wrong(isSet(code) ? 'code' : 'recoveryCode')
}

async function checkPasskey(
  sql: SqlTransaction,
  context: ProofContext,
  args: { userId: string; challenge: Challenge | undefined; passkey: unknown },
): Promise<{ isUserVerified: boolean }> {
  const { userId, challenge } = args
  const assertion = parseAssertion(args.passkey)
  if (!challenge) refuseParam('challengeToken', 'must be sent together with passkey')
  const passkey = await findPasskey(sql, assertion.id)
  if (passkey?.userId !== userId) throw wrong('passkey')
  const used = await usePasskey(sql, context, { passkey, challenge, assertion })
  if (!used) throw wrong('passkey')
  return used
}

/** Returns the error for a proof that is not right. */
export function wrong(param: 'code' | 'recoveryCode' | 'passkey'): Problem {
  return new Problem('wrong_second_factor', { param })
}

function isSet<Value>(value: Value | null | undefined): value is Value {
  return value !== undefined && value !== null
}
