import { type AddressRules, checkAddress } from '../checks/check-address.ts'
import { refuse } from '../checks/refuse.ts'

/** Where service accounts get their access tokens: a signed assertion goes there, and nowhere else. */
const tokenUris = new Set([
  'https://oauth2.googleapis.com/token',
  'https://accounts.google.com/o/oauth2/token',
  'https://www.googleapis.com/oauth2/v4/token',
])

/** Checks the address that a service account names for its tokens. Throws `validation_failed`. */
export function checkTokenUri(text: string, at: { param: string; rules: AddressRules }): void {
  const address = checkAddress(text, at)
  if (tokenUris.has(address)) return
  if (at.rules.allowLoopback && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname))
    return
  refuse(at.param, 'must be one of the addresses that hand out tokens for service accounts')
}
