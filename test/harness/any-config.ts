import fc from 'fast-check'
import { maxValues } from '../../domain/byok/parse-config.ts'
import type { Json, JsonObject } from '../../schema/json.ts'

/** Names of which the system says that they hold a secret. */
export const secretNames = [
  'api_key',
  'apiKey',
  'API-KEY',
  'x-api-key',
  'apikey',
  'api_key_2',
  'accountKey',
  'key',
  'secret_access_key',
  'secretAccessKey',
  'AWS_SECRET_ACCESS_KEY',
  'private_key',
  'privateKey',
  'PRIVATE KEY',
  'token',
  'access_token',
  'accessToken',
  'session_token',
  'client_secret',
  'clientSecret',
  'password',
  'db_pwd',
  'passphrase',
  'credentials',
  'Authorization',
  'cookie',
  'sas',
  'connectionString',
  'ａｐｉ＿ｋｅｙ',
]

/** Names that hold none. */
export const openNames = [
  'region',
  'api_version',
  'access_key_id',
  'private_key_id',
  'token_uri',
  'client_email',
  'client_id',
  'project_id',
  'type',
  'auth_uri',
  'public_key',
  'token_type',
  'AWS_REGION',
]

/** Names that say nothing about their content. */
export const unknownNames = ['label', 'note', 'author', 'path', 'x', 'client', 'Größe', '']

/** What each secret of `anyConfig` begins with, so that it is found wherever it appears. */
export const secretMark = '!SECRET!'

const secret = fc.stringMatching(/^[a-z0-9]{6}$/).map(text => `${secretMark}${text}`)

const shapes = fc.letrec<{ open: Json; secret: Json; unknown: Json; object: JsonObject }>(tie => ({
  open: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<Json>('eu-west-1', 'https://example.com', '', 7, true, null),
    fc.array(tie('open'), { maxLength: 3 }),
    tie('object'),
  ),
  secret: fc.oneof(
    { maxDepth: 5 },
    secret,
    fc.array(tie('secret'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...openNames, ...secretNames), tie('secret'), { maxKeys: 3 }),
  ),
  unknown: fc.oneof({ maxDepth: 5 }, secret, fc.array(secret, { maxLength: 3 }), tie('object')),
  object: fc
    .tuple(
      fc.dictionary(fc.constantFrom(...openNames), tie('open'), { maxKeys: 4 }),
      fc.dictionary(fc.constantFrom(...secretNames), tie('secret'), { maxKeys: 4 }),
      fc.dictionary(fc.constantFrom(...unknownNames), tie('unknown'), { maxKeys: 2 }),
    )
    .map(([open, hidden, unknown]) => ({ ...open, ...hidden, ...unknown })),
}))

/** A configuration of any shape, with no more values than one may have, whose secrets, and nothing else, are marked. */
export const anyConfig = shapes.object.filter(config => countValues(config) < maxValues)

function countValues(json: Json): number {
  if (json === null || typeof json !== 'object') return 1
  return Object.values(json).reduce<number>((sum, value) => sum + countValues(value), 1)
}
