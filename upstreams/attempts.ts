import type { Config } from '../platform/config/read-config.ts'
import type { CatalogueEntry } from '../schema/catalog/entry.ts'
import type { VendorModel } from '../schema/catalog/vendor-address.ts'
import type { CredentialChoice, PlatformCredentials } from './platform-credentials.ts'
import { type OwnCredential, ownTarget, type Target } from './targets.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** One attempt to serve a request: a model, and the credential with which it is called. */
export interface Attempt<
  Entry extends CatalogueEntry = CatalogueEntry,
  Own extends OwnCredential = OwnCredential,
> {
  entry: Entry
  target: Target
  /** The account's own credential; undefined for the platform's credential. */
  own: Own | undefined
}

/** The attempts at one model, in the order in which they are made. */
export interface OrderedAttempts<Entry extends CatalogueEntry, Own extends OwnCredential> {
  attempts: Attempt<Entry, Own>[]
  /** Whether only credentials of the account's own may be used: neither the platform's credentials nor fallbacks. */
  isOwnOnly: boolean
}

/** The credentials of a request, and its choice among the platform's. */
export interface RequestCredentials<Own extends OwnCredential> extends CredentialChoice {
  own: readonly Own[]
  isOwnOnly?: boolean
}

/**
 * Orders the credentials that reach a model: the account's own in the given order, then the platform's. If one of the
 * account's says `always_use`, the platform's are left out (domain/byok/README.md). A credential without an address
 * is skipped.
 */
export function orderAttempts<
  Entry extends CatalogueEntry,
  Own extends OwnCredential & { alwaysUse: boolean },
>(
  { config, credentials }: { config: Config; credentials: PlatformCredentials },
  model: VendorModel<Entry>,
  request: RequestCredentials<Own>,
): OrderedAttempts<Entry, Own> {
  const { entry } = model
  const attempts: Attempt<Entry, Own>[] = []
  let ownOnly = request.isOwnOnly ?? false
  for (const credential of request.own) {
    const target = ownTarget(config, model, credential)
    if (target) attempts.push({ entry, target, own: credential })
    ownOnly ||= credential.alwaysUse
  }
  if (!ownOnly)
    for (const target of credentials.targets(model, request)) attempts.push({ entry, target, own: undefined })
  return { attempts, isOwnOnly: ownOnly }
}

/**
 * Records how a call with an account's own credential ended. Records nothing for the platform's credential, or if an
 * open circuit breaker prevented the call.
 */
export async function recordOutcome<Own extends OwnCredential>(
  byok: { recordOutcome(own: Own, failure?: UpstreamFailure['outcome']): Promise<void> },
  own: Own | undefined,
  failure: UpstreamFailure | undefined,
): Promise<void> {
  if (own && failure?.kind !== 'circuit_open') await byok.recordOutcome(own, failure?.outcome)
}
