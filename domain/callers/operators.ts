import { createHash, timingSafeEqual } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { Config } from '../../platform/config/read-config.ts'
import type { Ids } from '../../platform/ids.ts'
import { Problem } from '../../schema/errors.ts'

/** A caller who runs the platform and has no account. */
export interface Operator {
  name: string
  /** The ID of the key that the operator used. A new key under the same name has another. */
  keyId: string
}

/** Prefix of operator keys. No API key of an account begins with it. */
const prefix = 'sk-rb-op-'

/** Whether a token has the form of an operator key. */
export function isOperatorKey(token: string): boolean {
  return token.startsWith(prefix)
}

/**
 * Creates an operator key and its digest for OPERATOR_KEYS. The key is 48 random characters, so its digest does not
 * need a salt.
 */
export function mintOperatorKey(ids: Ids): { key: string; digest: string } {
  const key = prefix + ids.secret(48)
  return { key, digest: digestOf(key).toString('hex') }
}

/**
 * Returns the operator of a key. Throws `unauthenticated` for an unknown key, and `ip_not_allowed` if no network in
 * OPERATOR_NETWORKS contains the address.
 */
export function findOperator(
  { operatorKeys, operatorNetworks }: Pick<Config, 'operatorKeys' | 'operatorNetworks'>,
  { key, address }: { key: string; address: string },
): Operator {
  const digest = digestOf(key)
  // Every key is compared, so that the duration does not depend on the position of a match.
  const found = [...operatorKeys].filter(([, known]) => timingSafeEqual(Buffer.from(known, 'hex'), digest))
  const [name, hex] = found[0] ?? []
  if (name === undefined || hex === undefined) throw new Problem('unauthenticated')
  requireOperatorNetwork({ operatorNetworks }, address)
  return { name, keyId: keyIdOf(hex) }
}

/** Throws `ip_not_allowed` if no network in OPERATOR_NETWORKS contains the address. */
export function requireOperatorNetwork(
  { operatorNetworks }: Pick<Config, 'operatorNetworks'>,
  address: string,
): void {
  if (operatorNetworks.length > 0 && !isWithin(address, operatorNetworks)) throw new Problem('ip_not_allowed')
}

/** Returns whether OPERATOR_KEYS still has the key with this ID under the operator's name. */
export function isOperatorKeyValid(
  { operatorKeys }: Pick<Config, 'operatorKeys'>,
  operator: Operator,
): boolean {
  const hex = operatorKeys.get(operator.name)
  return hex !== undefined && keyIdOf(hex) === operator.keyId
}

/** Returns the ID of a key: the beginning of a hash of its digest, which does not reveal the digest. */
function keyIdOf(digestHex: string): string {
  return digestOf(digestHex).toString('hex').slice(0, 16)
}

function isWithin(text: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return networks.some(network => {
    const [base, bits] = ipaddr.parseCIDR(network)
    return base.kind() === address.kind() && address.match(base, bits)
  })
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
