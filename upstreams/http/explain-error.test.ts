import { expect, test } from 'vitest'
import { explainError } from './explain-error.ts'
import { AddressRefused } from './guard-address.ts'

const failed = (code: string | undefined, message: string) => Object.assign(new Error(message), { code })

test.each([
  [failed('ECONNREFUSED', 'connect ECONNREFUSED 10.1.2.3:443'), 'the vendor refused the connection'],
  [failed('ENOTFOUND', 'getaddrinfo ENOTFOUND x.internal'), 'the name of the vendor has no address'],
  [
    failed('UND_ERR_CONNECT_TIMEOUT', 'attempted address: 10.1.2.3:443'),
    'no connection to the vendor in time',
  ],
  [
    failed('ERR_TLS_CERT_ALTNAME_INVALID', "IP: 10.1.2.3 is not in the cert's list"),
    "the vendor's certificate is not valid (ERR_TLS_CERT_ALTNAME_INVALID)",
  ],
  [failed('HPE_INVALID_CONSTANT', '10.1.2.3'), "the vendor's answer is no HTTP (HPE_INVALID_CONSTANT)"],
  [failed('EPROTO', '10.1.2.3'), 'the connection to the vendor failed (EPROTO)'],
  [failed('10.1.2.3', '10.1.2.3'), 'the connection to the vendor failed'],
  [failed(undefined, '10.1.2.3'), 'the connection to the vendor failed'],
  [new AddressRefused('10.1.2.3'), 'the address does not lead to a public one, over TLS'],
])('%s', (error, words) => {
  expect(explainError(error)).toBe(words)
})
