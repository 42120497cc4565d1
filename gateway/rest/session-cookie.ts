import { isRecord } from '../../platform/checks.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { isFromOwnPage } from '../../platform/http/own-page.ts'
import { Problem } from '../../schema/errors.ts'
import type { ControlContext } from '../http/control-context.ts'

/** The header with which a web page asks for the cookie. Pages of other origins cannot send it without permission. */
export const sessionHeader = 'x-session-cookie'

/** Browsers send the cookie to the operations of sign-in only. */
const cookiePath = '/api/v1/auth'

const daySeconds = 86_400

/**
 * Keeps the refresh token of a browser's session in a cookie that scripts cannot read
 * (docs/decisions/2026-11-26-console.md). A client asks for it with `x-session-cookie: 1` on each operation that begins,
 * refreshes or ends a session. Other clients get the refresh token in the body.
 */
export interface SessionCookie {
  /** Whether the client uses the cookie. Throws `forbidden` if a page of another origin sent the request. */
  isUsed(ctx: ControlContext): boolean
  /** Returns the refresh token in the request's cookie. Throws `token_expired` if there is none, or more than one. */
  read(ctx: ControlContext): string
  /**
   * Moves the refresh token of an answer, or of its session, to the cookie. An answer without one, such as a challenge,
   * stays unchanged.
   */
  store(ctx: ControlContext, answer: unknown): unknown
  clear(ctx: ControlContext): void
}

export function openSessionCookie({
  baseUrl,
  refreshTokenDays,
}: Pick<Config, 'baseUrl' | 'refreshTokenDays'>): SessionCookie {
  const { origin, protocol } = new URL(baseUrl)
  const isSecure = protocol === 'https:'
  const name = `${isSecure ? '__Secure-' : ''}rubicon-session`
  const attributes = [`Path=${cookiePath}`, 'HttpOnly', 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])]
  const set = (ctx: ControlContext, value: string, seconds: number) =>
    ctx.append('set-cookie', [`${name}=${value}`, ...attributes, `Max-Age=${seconds}`].join('; '))
  return {
    isUsed(ctx) {
      if (ctx.get(sessionHeader) === '') return false
      if (isFromOwnPage(ctx.headers, origin)) return true
      throw new Problem('forbidden', {
        message: `Only pages of this service can use ${sessionHeader}. Other clients send refresh_token in the body.`,
      })
    },
    read(ctx) {
      const tokens = cookiesOf(ctx, name)
      // A second cookie was set by another host of the domain: it is not known which one is the user's.
      if (tokens.length !== 1 || !tokens[0]) throw new Problem('token_expired')
      return tokens[0]
    },
    store(ctx, answer) {
      if (!isRecord(answer)) return answer
      if (isRecord(answer.session)) return { ...answer, session: this.store(ctx, answer.session) }
      if (typeof answer.refresh_token !== 'string') return answer
      const { refresh_token: token, ...rest } = answer
      set(ctx, token, refreshTokenDays * daySeconds)
      return rest
    },
    clear: ctx => set(ctx, '', 0),
  }
}

/** Returns the values of all cookies with a name. */
function cookiesOf(ctx: ControlContext, name: string): string[] {
  const pairs = ctx
    .get('cookie')
    .split(';')
    .map(pair => pair.trim())
  return pairs.flatMap(pair => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}
