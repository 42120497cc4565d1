import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { isRecord } from '../../platform/checks.ts'
import { refuseParam } from '../../schema/refuse-param.ts'

/** Maximum length of each text of a credential, in characters. Attestations with certificates need a few thousand. */
const maxFieldLength = 16_384

/** Maximum number of transports of a passkey, and the length of a transport's name. */
const maxTransports = 10
const maxTransportLength = 32

/** Reads a new passkey: `PublicKeyCredential.toJSON()` after `navigator.credentials.create`. Throws `validation_failed`. */
export function parseRegistration(value: unknown): RegistrationResponseJSON {
  const { id, response } = partsOf(value)
  const transports = Array.isArray(response.transports) ? response.transports : []
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: textOf(response, 'clientDataJSON'),
      attestationObject: textOf(response, 'attestationObject'),
      transports: transports.filter(isTransport).slice(0, maxTransports),
    },
  }
}

/** Reads a passkey's signed response: `toJSON()` after `navigator.credentials.get`. Throws `validation_failed`. */
export function parseAssertion(value: unknown): AuthenticationResponseJSON {
  const { id, response } = partsOf(value)
  const { userHandle } = response
  return {
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: textOf(response, 'clientDataJSON'),
      authenticatorData: textOf(response, 'authenticatorData'),
      signature: textOf(response, 'signature'),
      ...(typeof userHandle === 'string' && { userHandle: textOf(response, 'userHandle') }),
    },
  }
}

function partsOf(value: unknown): { id: string; response: Record<string, unknown> } {
  if (!isRecord(value) || !isRecord(value.response)) return refuse('an object with `id` and `response`')
  if (value.type !== undefined && value.type !== 'public-key')
    return refuse('a credential of the type `public-key`')
  return { id: textOf(value, 'id'), response: value.response }
}

/** Returns a field that has base64url text. */
function textOf(holder: Record<string, unknown>, name: string): string {
  const text = holder[name]
  const isBase64url = typeof text === 'string' && text.length <= maxFieldLength && /^[\w-]+$/.test(text)
  return isBase64url ? text : refuse(`a credential whose \`${name}\` is base64url text`)
}

function isTransport(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxTransportLength && /^[\w-]+$/.test(value)
}

function refuse(expected: string): never {
  return refuseParam('passkey', `must be ${expected}, as PublicKeyCredential.toJSON() returns it`)
}
