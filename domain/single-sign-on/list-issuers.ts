import type { Issuer } from '../../platform/config/issuers.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { mailDomainOf, normalizeEmail } from '../accounts/open-account.ts'

/** Lists the e-mail domains whose people an issuer signs in to an account, in alphabetical order. */
export function listSignInDomains(
  { issuers }: Pick<Config, 'issuers'>,
  { accountId }: { accountId: string },
): { domain: string; issuer: Issuer }[] {
  return [...issuers.values()]
    .flatMap(issuer =>
      [...issuer.accountsByDomain]
        .filter(([, account]) => account === accountId)
        .map(([domain]) => ({ domain, issuer })),
    )
    .toSorted((one, other) => one.domain.localeCompare(other.domain, 'en'))
}

/**
 * Lists the issuers through which a person can sign in: the issuers for everyone, and with an e-mail address also the
 * issuers of its domain. So the names of customers are not listed. Throws `validation_failed` for an address that is
 * too long.
 */
export function listIssuers(
  { issuers }: Pick<Config, 'issuers'>,
  { email }: { email: string | undefined },
): Issuer[] {
  const domain = mailDomainOf(normalizeEmail(email ?? ''))
  return [...issuers.values()].filter(
    ({ accountsByDomain, opensAccounts }) =>
      accountsByDomain.size === 0 || opensAccounts || accountsByDomain.has(domain),
  )
}
