import { AddressRefused } from './guard-address.ts'

/** What is said of a connection's errors, by their codes. */
const explained: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the vendor has no address',
  EAI_AGAIN: 'the name of the vendor cannot be looked up now',
  ECONNREFUSED: 'the vendor refused the connection',
  EHOSTUNREACH: 'the vendor cannot be reached',
  ENETUNREACH: 'the vendor cannot be reached',
  ETIMEDOUT: 'no connection to the vendor in time',
  UND_ERR_CONNECT_TIMEOUT: 'no connection to the vendor in time',
  ECONNRESET: 'the vendor broke the connection off',
  EPIPE: 'the vendor broke the connection off',
  UND_ERR_SOCKET: 'the vendor broke the connection off',
}

/**
 * Why nothing was heard of a vendor, in words that name no address: what a customer's name resolves to, and what is
 * found there, is nothing to tell. The error itself goes to the log.
 */
export function explainError(error: Error): string {
  if (error instanceof AddressRefused) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const known = explained[code]
  if (known) return known
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) return `the vendor's certificate is not valid (${code})`
  if (/^HPE_|^UND_ERR_HEADERS|^UND_ERR_RES/.test(code)) return `the vendor's answer is no HTTP (${code})`
  return /^[A-Z0-9_]+$/.test(code)
    ? `the connection to the vendor failed (${code})`
    : 'the connection to the vendor failed'
}
