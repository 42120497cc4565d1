import { errors as joseErrors } from 'jose'
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client'
import { Problem } from '../../schema/errors.ts'

/** Codes of `ClientError` that mean that the issuer did not respond as an issuer does. */
const unavailableCodes: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
])

/**
 * Converts the error of a request to an issuer, or of the check of its response. The log gets the error's text, which
 * contains no token.
 *
 * - `sign_in_refused`: the issuer refused the sign-in, or its response is invalid.
 * - `sign_in_expired`: the issuer does not accept its code.
 * - `issuer_unavailable`: the issuer does not respond, or refuses this service as its client.
 */
export function asIssuerProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const internal = describe(error)
  if (error instanceof AuthorizationResponseError)
    return new Problem('sign_in_refused', {
      message: `The identity provider refused the sign-in: ${error.error.slice(0, 100)}.`,
      internal,
    })
  if (error instanceof ResponseBodyError) {
    const isExpired = error.error === 'invalid_grant'
    return new Problem(isExpired ? 'sign_in_expired' : 'issuer_unavailable', { internal })
  }
  if (isOutage(error)) return new Problem('issuer_unavailable', { internal, cause: error })
  return new Problem('sign_in_refused', {
    message: "The identity provider's response is not valid.",
    internal,
  })
}

function isOutage(error: unknown): boolean {
  if (error instanceof joseErrors.JWKSTimeout) return true
  if (error instanceof ClientError) return unavailableCodes.has(error.code ?? '')
  return !(error instanceof joseErrors.JOSEError)
}

function describe(error: unknown): string {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `The issuer's error: ${error.error.slice(0, 200)}`
  return error instanceof Error ? `${error.name}: ${error.message}`.slice(0, 300) : 'unknown'
}
