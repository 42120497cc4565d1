import type { Config } from '../../platform/config/read-config.ts'
import { refuseParam } from '../../schema/refuse-param.ts'

/** The page to which a sign-in returns unless the client names another one. */
export const signInPath = '/account/sign-in'

/** Maximum length of a return target, in characters. */
const maxLength = 1_000

/**
 * Returns the URL of a return target: a path of this service, or a URL with an origin of ALLOWED_ORIGINS, without a
 * fragment. The browser is sent nowhere else. Throws `validation_failed`.
 */
export function resolveReturnTarget(
  { baseUrl, allowedOrigins }: Pick<Config, 'baseUrl' | 'allowedOrigins'>,
  target: string | undefined,
): string {
  if (!target) return baseUrl + signInPath
  const url =
    target.length <= maxLength && URL.canParse(target, baseUrl) ? new URL(target, baseUrl) : undefined
  const isAllowed = url && [new URL(baseUrl).origin, ...allowedOrigins].includes(url.origin)
  if (!isAllowed || url.username || url.password || url.hash || target.includes('#'))
    return refuseParam(
      'return_to',
      `must be a path, or a URL with an allowed origin, of at most ${maxLength} characters and without a fragment`,
    )
  return url.href
}
