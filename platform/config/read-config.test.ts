import { describe, expect, test } from 'vitest'
import { readConfig } from './read-config.ts'

test("a vendor's address must be one of HTTP, like every address", () => {
  for (const address of ['file:///x', 'api.example.com', 'ftp://api.example.com'])
    expect(() => readConfig({ VENDOR_A_BASE_URL: address })).toThrow(
      /^VENDOR_A_BASE_URL must be an address that begins with http:\/\/ or https:\/\/$/,
    )
})

test("a vendor's settings are kept by its label, the address without its trailing slash", () => {
  const { vendors } = readConfig({ VENDOR_R_BASE_URL: 'https://api.example.com/', VENDOR_R_API_KEY: 'its' })
  expect(vendors).toEqual(
    new Map([
      [
        'vendor_r',
        { credentials: [{ name: 'default', apiKey: 'its', weight: 1 }], baseUrl: 'https://api.example.com' },
      ],
    ]),
  )
})

test('master keys are pairs of 32 bytes, and at least one', () => {
  for (const keys of [',', 'x', 'x=', '=ZGV2', 'x=c2hvcnQ=', `a=${aKey},b=c2hvcnQ=`])
    expect(() => readConfig({ MASTER_KEYS: keys }), keys).toThrow(
      /^MASTER_KEYS must be id=base64 pairs of 32 bytes each$/,
    )
})

test('secrets of subgraphs are a list, each long enough, and at least one', () => {
  const [one, two] = ['a secret of 24 characters', 'another of 24 characters']
  expect(readConfig({ SUBGRAPH_SECRET: `${one}, ${two},` }).subgraphSecrets).toEqual([one, two])
  for (const value of [',', 'short', `${one},short`])
    expect(() => readConfig({ SUBGRAPH_SECRET: value }), value).toThrow(
      /^SUBGRAPH_SECRET must be secrets of at least 24 characters each, separated by commas$/,
    )
})

test('a foreign issuer has an address of HTTP, or none', () => {
  expect(readConfig({ FOREIGN_JWKS_URL: '' }).foreignJwksUrl).toBe('')
  expect(readConfig({ FOREIGN_JWKS_URL: 'https://id.example.com/keys' }).foreignJwksUrl).toBe(
    'https://id.example.com/keys',
  )
  for (const address of ['x:y', 'id.example.com', 'file:///etc/passwd'])
    expect(() => readConfig({ FOREIGN_JWKS_URL: address }), address).toThrow(
      /^FOREIGN_JWKS_URL must be an address that begins with http/,
    )
})

test('e-mails are from an address, with a name or without', () => {
  for (const from of ['Rubicon <a@example.com>', 'a@example.com', '<a@example.com>'])
    expect(readConfig({ MAIL_FROM: from }).mailFrom).toBe(from)
  for (const from of ['Rubicon', 'Rubicon <a>', 'a@b, c@d', 'x <a@b>, c@d', 'a@b\r\nBcc: c@d', '"x" <a@b>'])
    expect(() => readConfig({ MAIL_FROM: from }), from).toThrow(/^MAIL_FROM must be an e-mail address/)
})

const aKey = Buffer.alloc(32, 'production').toString('base64')
const developmentKey = 'ZGV2ZWxvcG1lbnQtbWFzdGVyLWtleS0wMDAwMDAwMDA='
const inProduction = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://rubicon@db.example.com/rubicon',
  REDIS_URL: 'redis://redis.example.com',
  SUBGRAPH_SECRET: 'a secret of 24 characters or more',
  MASTER_KEYS: `one=${aKey}`,
  KEY_PEPPER: 'a pepper of 24 characters or more',
  MEDIA_S3_BUCKET: 'media',
  MEDIA_URL: 'https://media.example.com',
  SMTP_URL: 'smtps://rubicon:secret@mail.example.com',
  MAIL_FROM: 'Rubicon <alerts@example.com>',
}

describe('production', () => {
  test('starts if everything is set', () => {
    expect(readConfig(inProduction).environment).toBe('production')
  })

  test.each([
    'DATABASE_URL',
    'REDIS_URL',
    'SUBGRAPH_SECRET',
    'MASTER_KEYS',
    'KEY_PEPPER',
    'SMTP_URL',
    'MAIL_FROM',
  ])('refuses to be without %s', name => {
    for (const value of [undefined, ''])
      expect(() => readConfig({ ...inProduction, [name]: value })).toThrow(
        new RegExp(`^${name} must be set in production(: .+)?$`),
      )
  })

  test.each([
    ['SUBGRAPH_SECRET', 'development-subgraph-secret-0000'],
    ['SUBGRAPH_SECRET', 'a secret of 24 characters or more, development-subgraph-secret-0000'],
    ['KEY_PEPPER', 'development-key-pepper-000000000'],
    ['MASTER_KEYS', `dev=${developmentKey}`],
    ['MASTER_KEYS', `x=${developmentKey}`],
    ['MASTER_KEYS', `dev=${developmentKey},`],
    ['MASTER_KEYS', `dev=${developmentKey.replace('=', '')}`],
    ['MASTER_KEYS', `one=${aKey}, old=${developmentKey}`],
    ['SMTP_URL', 'none'],
    ['MAIL_FROM', 'Rubicon <alerts@rubicon.invalid>'],
  ])('refuses the %s of development: %s', (name, value) => {
    const faults = new RegExp(`^${name} must not be the development default in production$`)
    expect(() => readConfig({ ...inProduction, [name]: value })).toThrow(faults)
  })

  test.each(['smtp://127.0.0.1:8091', 'smtp://localhost:2525', 'smtps://[::1]:1025'])(
    'refuses the mailbox simulator: SMTP_URL=%s',
    value => {
      expect(() => readConfig({ ...inProduction, SMTP_URL: value })).toThrow(
        /^SMTP_URL must name a mail server/,
      )
    },
  )

  test.each(['smtp://127.0.0.1', 'smtp://localhost:25', 'smtps://mail.example.com:2465'])(
    'accepts a mail server on this machine or elsewhere: SMTP_URL=%s',
    value => expect(readConfig({ ...inProduction, SMTP_URL: value }).smtpUrl).toBe(value),
  )

  test.each(['true', '1'])('refuses loopback: ALLOW_LOOPBACK=%s', value => {
    expect(() => readConfig({ ...inProduction, ALLOW_LOOPBACK: value })).toThrow(
      /^ALLOW_LOOPBACK must be false in production$/,
    )
  })

  test.each(['VENDOR_A_BASE_URL', 'FOREIGN_JWKS_URL'])('refuses a URL without TLS: %s', name => {
    expect(() => readConfig({ ...inProduction, [name]: 'http://127.0.0.1:9999' })).toThrow(
      new RegExp(`^${name} must begin with https:// in production$`),
    )
    expect(() => readConfig({ ...inProduction, [name]: 'HTTPS://api.example.com' })).not.toThrow()
  })

  test('requires a storage for media, or none, and a URL over TLS', () => {
    const { MEDIA_S3_BUCKET: _, MEDIA_URL: __, ...without } = inProduction
    expect(faultsOf({ ...without, MEDIA_URL: 'https://media.example.com' })).toBe(
      'MEDIA_S3_BUCKET or MEDIA_FOLDER must be set in production',
    )
    expect(faultsOf({ ...without, MEDIA_FOLDER: 'none' })).toBe('')
    for (const MEDIA_URL of ['', 'http://media.example.com'])
      expect(faultsOf({ ...without, MEDIA_FOLDER: '/media', MEDIA_URL })).toBe(
        'MEDIA_URL must be set in production, and begin with https://',
      )
    expect(faultsOf({ ...inProduction, MEDIA_FOLDER: '/media', MEDIA_S3_BUCKET: '' })).toBe('')
  })

  test('reports all faults at once, without secrets', () => {
    const faults = faultsOf({ NODE_ENV: 'production', KEY_PEPPER: 'short secret', LOG_LEVEL: 'loud' })
    expect(faults.split('\n').map(line => line.split(' ')[0])).toEqual([
      'KEY_PEPPER',
      'LOG_LEVEL',
      'SUBGRAPH_SECRET',
      'MASTER_KEYS',
      'SMTP_URL',
      'MAIL_FROM',
      'DATABASE_URL',
      'REDIS_URL',
      'MEDIA_S3_BUCKET',
      'MEDIA_URL',
    ])
    expect(faults).not.toContain('short secret')
  })
})

function faultsOf(env: Record<string, string>): string {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
