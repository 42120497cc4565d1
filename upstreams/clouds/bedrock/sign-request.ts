import { AwsV4Signer } from 'aws4fetch'
import { isMantle } from './is-mantle.ts'
import type { KeyPair } from './read-credential.ts'

/** What is signed: the bytes that are sent, to the address that they are sent to. */
export interface Unsigned {
  url: string
  region: string
  body: string
  /** `20260131T120000Z`; now where it is left out. */
  datetime?: string
}

/**
 * The headers that sign a POST to Bedrock with a pair of keys (AWS Signature Version 4). Host, date and session token
 * are signed, and the body by its hash; other headers may be added afterwards.
 */
export async function signRequest(keyPair: KeyPair, unsigned: Unsigned): Promise<Record<string, string>> {
  const service = isMantle(unsigned.url) ? 'bedrock-mantle' : 'bedrock'
  const signer = new AwsV4Signer({ ...keyPair, ...unsigned, method: 'POST', service })
  const { headers } = await signer.sign()
  return Object.fromEntries(headers)
}
