import type { Target } from '../../chat-adapter.ts'
import { UpstreamFailure } from '../../upstream-failure.ts'

export interface KeyPair {
  accessKeyId: string
  secretAccessKey: string
  /** Of temporary credentials. */
  sessionToken: string | undefined
}

/** How Bedrock is reached: a region, and a pair of keys to sign with or a key to bear. */
export interface BedrockCredential {
  region: string
  keyPair?: KeyPair
  bearer?: string
}

/**
 * Reads a credential of Bedrock. A pair of keys stands in `config` (`access_key_id`, `secret_access_key`,
 * `session_token`) or in the API key as `AKIA…:secret` or `ASIA…:secret:token`; one secret alone cannot sign, so it
 * is a Bedrock API key. Throws `auth` where neither is there, or the region is none.
 */
export function readCredential({ apiKey, config = {} }: Target): BedrockCredential {
  const region = textOf(config.region)
  if (!region || !/^[a-z][a-z0-9-]{0,39}$/.test(region)) throw refuse('the region of the credential is none')
  const accessKeyId = textOf(config.access_key_id)
  const secret = textOf(config.secret_access_key)
  const given = textOf(apiKey) ?? textOf(config.api_key)
  const keyPair = accessKeyId
    ? pairOf(accessKeyId, secret ?? given, textOf(config.session_token))
    : pairIn(given ?? secret)
  if (keyPair) return { region, keyPair }
  const bearer = given ?? secret
  if (!bearer || accessKeyId) throw refuse('the credential lacks its secret')
  return { region, bearer }
}

function pairIn(text: string | undefined): KeyPair | undefined {
  const [, accessKeyId, secret, sessionToken] = /^(A[KS]IA\w{8,}):([^:]+)(?::(.+))?$/.exec(text ?? '') ?? []
  return accessKeyId ? pairOf(accessKeyId, secret, sessionToken) : undefined
}

function pairOf(accessKeyId: string, secret: string | undefined, sessionToken?: string): KeyPair | undefined {
  return secret ? { accessKeyId, secretAccessKey: secret, sessionToken } : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function refuse(message: string): UpstreamFailure {
  return new UpstreamFailure('auth', { message })
}
