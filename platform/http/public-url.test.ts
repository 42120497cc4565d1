import { expect, test } from 'vitest'
import { objectionToUrl } from './public-url.ts'

const objection = (url: string, allowLoopback = false) => objectionToUrl(new URL(url), { allowLoopback })

const privateHosts = [
  ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0x7f000001', '0177.0.0.1', '127.0.0.1.', '①②⑦.⓪.⓪.①'],
  ...[
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
  ],
  ...['224.0.0.1', '255.255.255.255', '168.63.129.16', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  ...[
    '[::127.0.0.1]',
    '[fe80::1]',
    '[fd00::1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    'localhost',
    'LOCALHOST.',
  ],
  ...['a.localhost', 'metadata.google.internal', 'printer.local', 'intranet'],
]
test.each(privateHosts)('%s is not a public address', host => {
  expect(objection(`https://${host}/v1`)).toBe('be a public address')
})

test.each(['https://api.example.com/v1', 'https://8.8.8.8:8443/x', 'https://[2606:4700::1111]'])(
  '%s is',
  url => {
    expect(objection(url)).toBeUndefined()
  },
)

test.each([
  ['http://api.example.com', 'begin with https://'],
  ['ftp://127.0.0.1', 'begin with https://'],
  ['https://user:password@api.example.com', 'not carry credentials'],
  ['http://10.0.0.1', 'begin with https://'],
  ['https://169.254.169.254', 'be a public address'],
])('%s must %s, also if loopback is allowed', (url, rule) => {
  expect([objection(url), objection(url, true)]).toEqual([rule, rule])
})

test.each(['http://127.0.0.1:4010/v1', 'http://localhost:4010', 'http://[::1]:4010', 'https://127.1/'])(
  '%s is accepted only if loopback is allowed',
  url => {
    expect(objection(url, true)).toBeUndefined()
    expect(objection(url)).toMatch(/./)
  },
)
