import { beforeAll, expect, test } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { systemIds } from '../../platform/ids.ts'
import { anApiKey } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem } from '../payments/a-payment-system.ts'
import { type Described, described, faultsOf, type Json, resolve } from './the-document.ts'
import { wrongValues } from './wrong-values.ts'

/**
 * Every operation of the document is called with inputs that its schemas do not allow. Each must be refused, with a
 * status and a body that the document describes. The cases are made from the document, for every operation in it.
 */

const operator = mintOperatorKey(systemIds)
let session: string
let apiKey: string

const system = perFile(() =>
  aPaymentSystem({
    SMTP_URL: 'smtp://127.0.0.1:9', // no worker runs: nothing is sent
    OPERATOR_KEYS: `ada=${operator.digest}`,
    CALLS_PER_ADDRESS: '100000',
  }),
)

beforeAll(async () => {
  const { accountId, token } = await system.aPerson()
  session = token
  apiKey = (await anApiKey(system.context, { accountId })).text
  const amountNanos = 100_000_000_000n
  await creditAccount(system.context, { accountId, amountNanos, source: 'test', paymentMethod: 'grant' })
})

/** A request that the server must refuse. */
interface Wrong {
  /** The rule that it breaks. */
  name: string
  /** The parameter that the error must name. */
  param?: string
  path?: Record<string, string>
  query?: string[][]
  body?: string
  contentType?: string
  /** The credential; a valid one unless given. */
  credential?: string | null
}

const anUnknownId = '0190a8c0-0000-7000-8000-0000000000ff'

function wrongRequests({ operation }: Described): Wrong[] {
  return [...wrongCredentials(operation), ...wrongParameters(operation), ...wrongBodies(operation)]
}

function wrongCredentials(operation: Json): Wrong[] {
  if (operation.security.length === 0) return []
  return [
    { name: 'no credential', credential: null },
    { name: 'a wrong credential', credential: 'sk-rb-wrong' },
  ]
}

function wrongParameters(operation: Json): Wrong[] {
  return operation.parameters.flatMap((parameter: Json) => {
    if (parameter.in === 'path')
      return [{ name: `an unknown ${parameter.name}`, path: { [parameter.name]: anUnknownId } }]
    if (parameter.in !== 'query') return []
    return wrongValues(parameter.schema)
      .filter(({ value }) => !isRightText(parameter.schema, value))
      .map(({ name, value }) => ({
        name: `${parameter.name}: ${name}`,
        param: parameter.name,
        query: [value].flat().map(text => [parameter.name, String(text)]),
      }))
  })
}

/** A query has only texts, each of which may be the only one of a list. */
function isRightText({ items, ...schema }: Json, value: unknown): boolean {
  const { type, enum: words } = items ?? schema
  if (words !== undefined || ![type].flat().includes('string')) return false
  return items ? !Array.isArray(value) || value.length === 1 : typeof value !== 'string'
}

function wrongBodies(operation: Json): Wrong[] {
  const media = operation.requestBody?.content['application/json']
  if (!media) return []
  const schema = resolve(media.schema)
  const changed = wrongValues(schema, media.example)
  return [
    { name: 'no JSON', body: '{' },
    { name: 'no object', body: '[]' },
    { name: 'no content type', body: JSON.stringify(media.example), contentType: 'text/plain' },
    ...(operation.requestBody.required ? [{ name: 'no body' }] : []),
    ...changed.map(({ name, value }) => ({
      ...{ name, body: JSON.stringify(value) },
      param: name === 'an unknown field' ? 'unknown_field' : /^\w+/.exec(name)![0],
    })),
  ]
}

async function send({ method, path, operation }: Described, wrong: Wrong): Promise<Response> {
  const query = new URLSearchParams(wrong.query)
  let address = path
  for (const { in: place, name, example, required } of operation.parameters)
    if (place === 'query' && required && !query.has(name)) query.set(name, example)
    else if (place === 'path')
      address = address.replace(`{${name}}`, encodeURIComponent(wrong.path?.[name] ?? example ?? anUnknownId))
  const isOperators = path.startsWith('/api/v1/operator')
  const valid = isOperators ? operator.key : path.startsWith('/api/') ? session : apiKey
  const credential =
    operation.security.length === 0 ? null : wrong.credential === undefined ? valid : wrong.credential
  return fetch(`${system.edge.url}${address}?${query}`, {
    method: method.toUpperCase(),
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      'content-type': wrong.contentType ?? 'application/json',
    },
    ...(wrong.body !== undefined && { body: wrong.body }),
  })
}

/** Returns what the document lacks: a status, a shape, or a rule that the server does not have. */
async function lacks(each: Described, wrong: Wrong): Promise<string[]> {
  const answer = await send(each, wrong)
  const text = await answer.text()
  const label = `${each.operation.operationId}, ${wrong.name}: ${answer.status}`
  if (answer.status === 429) return [`${label}: the case was not tried`]
  if (answer.status < 400) return [`${label} is accepted, although the document forbids it`]
  const response = resolve(each.operation.responses[answer.status])
  if (!response) return [`${label} is not described: ${text.slice(0, 200)}`]
  const pointer = Object.keys(each.operation.responses[answer.status]).includes('$ref')
    ? each.operation.responses[answer.status].$ref.slice(2).split('/')
    : ['paths', each.path, each.method, 'responses', String(answer.status)]
  const problem = JSON.parse(text)
  const faults = faultsOf(problem, [...pointer, 'content', 'application/json', 'schema'])
  const { param } = wrong
  if (param && [400, 422].includes(answer.status) && problem.error.param?.split(/[.[]/)[0] !== param)
    faults.push(`names ${problem.error.param} instead of ${param}`)
  return faults.map(fault => `${label}: ${fault}`)
}

test.each(described.map(each => [each.operation.operationId, each] as const))(
  'wrong inputs are refused as the document says: %s',
  async (_, each) => {
    const missing: string[] = []
    for (const wrong of wrongRequests(each)) missing.push(...(await lacks(each, wrong)))
    expect(missing).toEqual([])
  },
)
