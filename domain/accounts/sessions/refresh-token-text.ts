import { createHmac } from 'node:crypto'
import type { Config } from '../../../platform/config/read-config.ts'
import type { Ids } from '../../../platform/ids.ts'

/** A new refresh token. */
export function mintRefreshToken(ids: Ids): string {
  return `rb-refresh-${ids.secret(48)}`
}

/** What is kept of it: HMAC-SHA256 under the pepper. */
export function hashRefreshToken({ keyPepper }: Pick<Config, 'keyPepper'>, token: string): Buffer {
  return createHmac('sha256', keyPepper).update(token).digest()
}
