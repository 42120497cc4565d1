import type { Config } from '../../platform/config/read-config.ts'
import { Problem } from '../../schema/errors.ts'

/** Throws `forbidden` where a foreign issuer logs people in instead of us. */
export function refuseOwnLogIn(config: Config): void {
  if (config.foreignJwksUrl === '') return
  throw new Problem('forbidden', {
    message: 'Log-in is done elsewhere: use a token of your identity provider.',
  })
}
