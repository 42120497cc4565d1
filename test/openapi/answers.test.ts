import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { linkToken, type TokenPurpose } from '../../domain/accounts/mailed-links.ts'
import { queueDelivery } from '../../domain/callbacks/queue-delivery.ts'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { openApiFile, openApiText } from '../../gateway/openapi/build-openapi.ts'
import { accountExportPath } from '../../gateway/rest/routes/account-export.ts'
import { routes as restRoutes } from '../../gateway/rest/routes/routes.ts'
import { openaiRoutes } from '../../inference-edge/openai/openai-routes.ts'
import { routes as edgeRoutes } from '../../inference-edge/routes.ts'
import { systemIds } from '../../platform/ids.ts'
import { aMember, anAccount, anApiKey, anInvitation } from '../harness/an-account.ts'
import { perFile } from '../harness/per-file.ts'
import { aPaymentSystem } from '../payments/a-payment-system.ts'
import { codeOf } from '../sign-in/a-sign-in-system.ts'
import { Authenticator } from '../sign-in/an-authenticator.ts'
import { type Described, described, document, faultsOf, type Json, resolve } from './the-document.ts'

test('schema/openapi.json says what the shapes, the table of REST and the graph say: run `npm run graph` when this fails', async () => {
  expect(await readFile(openApiFile, 'utf8')).toBe(await openApiText())
})

test('it is valid OpenAPI 3.1', async () => {
  const path = createRequire(import.meta.url).resolve('@seriousme/openapi-schema-validator')
  const { Validator }: Json = await import(pathToFileURL(path).href)
  const validator = new Validator()
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

test('every route is described, nothing else is, and each operation has a name of its own and a summary', () => {
  const plain = (path: string) => path.replace(/\{\w+\}/g, '*')
  const openai = Object.entries(openaiRoutes).map(([path, methods]) => [`/openai${path}`, methods] as const)
  const served = [
    ...[...Object.entries(edgeRoutes), ...openai].flatMap(([path, methods]) =>
      Object.keys(methods).map(it => `${it} ${path}`),
    ),
    `GET /api/v1${accountExportPath}`,
    ...restRoutes.flatMap(({ method, path, isExported }) => {
      const address = `${method} /api/v1${plain(path)}`
      return isExported ? [address, `${address}.ndjson`, `${address}.csv`] : [address]
    }),
  ]
  const named = described.map(({ method, path }) => `${method.toUpperCase()} ${plain(path)}`)
  expect(named.toSorted()).toEqual(served.toSorted())
  const ids = described.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { operation } of described) expect(operation.summary, operation.operationId).toMatch(/\w{3}/)
})

test('each operation that takes a body or names something in its path has an example', () => {
  const without = described.filter(({ operation }) => {
    const needed = [
      ...(operation.requestBody ? [operation.requestBody.content['application/json']] : []),
      ...operation.parameters.filter((parameter: Json) => parameter.in === 'path'),
    ]
    return needed.some(({ example }) => example === undefined)
  })
  expect(without.map(({ operation }) => operation.operationId)).toEqual([])
})

/** What examples name that must be there: filled in as the operations before have made it. */
interface World {
  session: string
  refreshToken: string
  apiKey: string
  keyId: string
  credentialId: string
  alertId: string
  budgetId: string
  topUpId: string
  requestId: string
  taskId: string
  sessionId: string
  app: Json
  registration: Json
  passkeyLogIn: Json
  accountId: string
  /** The account of the operators' examples. */
  operatedId: string
  operatedMemberId: string
  /** A change that puts the entry of the examples again. */
  putModel: Json
  memberId: string
  invitationId: string
}

const world: World = {
  session: '',
  refreshToken: '',
  apiKey: '',
  keyId: '',
  credentialId: '',
  alertId: '',
  budgetId: '',
  topUpId: '',
  requestId: '',
  taskId: '',
  sessionId: '',
  app: {},
  registration: {},
  passkeyLogIn: {},
  accountId: '',
  operatedId: '',
  operatedMemberId: '',
  putModel: {},
  memberId: '',
  invitationId: '',
}

const operator = mintOperatorKey(systemIds)

// no worker runs: nothing is sent
const system = perFile(() =>
  aPaymentSystem({ SMTP_URL: 'smtp://127.0.0.1:9', OPERATOR_KEYS: `ada=${operator.digest}` }),
)

/** A link to the person of the examples, as an e-mail has it. */
const linkIds: Record<TokenPurpose, string> = {
  confirm_email: '0190a8c0-0000-7000-8000-00000000000a',
  reset_password: '0190a8c0-0000-7000-8000-00000000000b',
  accept_invitation: '0190a8c0-0000-7000-8000-00000000000c',
  change_email: '0190a8c0-0000-7000-8000-00000000000d',
  reopen_account: '0190a8c0-0000-7000-8000-00000000000e',
}
const tokenFor = (purpose: TokenPurpose) => linkToken(system.config, { id: linkIds[purpose], purpose })

const deliveryId = 'msg_of-the-examples'

/** The authenticator that holds the passkey of the examples. */
const authenticator = perFile(
  () => new Authenticator(system.config.baseUrl.replace('127.0.0.1', 'localhost')),
)

/** The places of an example that name something that was made before. */
const places: Record<string, () => Json> = {
  refresh: () => ({ body: { refresh_token: world.refreshToken } }),
  resetPassword: () => ({ body: { token: tokenFor('reset_password'), new_password: 'a new password' } }),
  endSession: () => ({ id: world.sessionId }),
  activateAuthenticatorApp: () => ({ id: world.app.id, body: { code: codeOf(world.app.secret) } }),
  updateSecondFactor: () => ({ id: world.app.id }),
  removeSecondFactor: () => ({ id: world.app.id }),
  addPasskey: () => ({
    body: {
      challenge_token: world.registration.challenge_token,
      name: 'Laptop',
      passkey: authenticator.create(world.registration.options),
    },
  }),
  completeLogIn: () => ({
    body: {
      challenge_token: world.passkeyLogIn.token,
      passkey: authenticator.get(world.passkeyLogIn.passkey_options),
    },
  }),
  readOverview: () => ({ id: world.operatedId }),
  ...Object.fromEntries(
    ['credit', 'debit', 'view', 'suspend', 'resume', 'close', 'reopen'].map(verb => [
      `${verb}Account`,
      () => ({ account_id: world.operatedId }),
    ]),
  ),
  setAllowance: () => ({ account_id: world.operatedId }),
  putModel: () => ({ body: world.putModel }),
  resetSecondFactors: () => ({
    account_id: world.operatedId,
    body: { user_id: world.operatedMemberId, reason: 'The phone was lost.' },
  }),
  switchAccount: () => ({ body: { account_id: world.accountId } }),
  acceptInvitation: () => ({
    body: { token: tokenFor('accept_invitation'), password: 'correct horse battery' },
  }),
  updateMember: () => ({ id: world.memberId }),
  removeMember: () => ({ id: world.memberId }),
  resendInvitation: () => ({ id: world.invitationId }),
  revokeInvitation: () => ({ id: world.invitationId }),
  confirmEmail: () => ({ body: { token: tokenFor('confirm_email') } }),
  changeEmail: () => ({ body: { token: tokenFor('change_email') } }),
  closeOwnAccount: () => ({ body: { account_name: 'Acme' } }),
  reopenOwnAccount: () => ({ body: { token: tokenFor('reopen_account') } }),
  updateKey: () => ({ id: world.keyId }),
  rollKey: () => ({ id: world.keyId }),
  revokeKey: () => ({ id: world.keyId }),
  updateCredential: () => ({ id: world.credentialId }),
  deleteCredential: () => ({ id: world.credentialId }),
  deleteAlert: () => ({ id: world.alertId }),
  readTopUp: () => ({ id: world.topUpId }),
  updateBudget: () => ({ id: world.budgetId }),
  deleteBudget: () => ({ id: world.budgetId }),
  readRequest: () => ({ id: world.requestId }),
  readGeneration: () => ({ id: world.requestId }),
  readTask: () => ({ id: world.taskId }),
  cancelTask: () => ({ id: world.taskId }),
  readDelivery: () => ({ id: deliveryId }),
  sendAgain: () => ({ id: deliveryId }),
  retrieveVideo: () => ({ id: world.taskId }),
  deleteVideo: () => ({ id: world.taskId }),
  ...Object.fromEntries(
    ['Video', 'Speech', 'Audio'].flatMap(kind =>
      ['poll', 'cancel'].map(verb => [`${verb}${kind}`, () => ({ id: world.taskId })]),
    ),
  ),
}

/** What an answer makes known to the examples that follow. */
const keeps: Record<string, (answer: Json) => void> = {
  signUp: answer => Object.assign(world, { session: answer.access_token, accountId: answer.account.id }),
  logIn: answer => Object.assign(world, { session: answer.access_token, refreshToken: answer.refresh_token }),
  refresh: answer => Object.assign(world, { session: answer.access_token }),
  listSessions: answer =>
    Object.assign(world, { sessionId: answer.data.find((session: Json) => !session.is_current).id }),
  addAuthenticatorApp: answer => Object.assign(world, { app: answer }),
  startPasskeyRegistration: answer => Object.assign(world, { registration: answer }),
  startPasskeyLogIn: answer => Object.assign(world, { passkeyLogIn: answer.challenge }),
  readEntry: ({ model, declaration }) =>
    Object.assign(world, { putModel: { expected_revision: model.revision, entry: declaration } }),
  createInvitation: answer => Object.assign(world, { invitationId: answer.id }),
  createKey: answer => Object.assign(world, { keyId: answer.id }),
  createCredential: answer => Object.assign(world, { credentialId: answer.id }),
  createAlert: answer => Object.assign(world, { alertId: answer.id }),
  startTopUp: answer => Object.assign(world, { topUpId: answer.id }),
  createBudget: answer => Object.assign(world, { budgetId: answer.id }),
  submitVideo: answer => Object.assign(world, { taskId: answer.id }),
  submitSpeech: answer => Object.assign(world, { taskId: answer.id }),
  createVideo: answer => Object.assign(world, { taskId: answer.id }),
  submitAudio: answer => Object.assign(world, { taskId: answer.id }),
}

/** Sessions come first, as the others need one, and operations that end something last. */
const order = (name: string) => {
  if (/^(startPasskeyLogIn|completeLogIn)$/.test(name)) return 1.5 // they need a passkey
  if (/^(updateSecondFactor|putModel)$/.test(name)) return 1.55 // they need a second factor and an entry
  if (name === 'listSessions') return 1.6 // the first second factor has ended the sessions before it
  if (name === 'resetPassword') return 4
  if (/^(changePassword|logOut)$/.test(name)) return 3
  if (name === 'closeOwnAccount') return 2.1
  if (name === 'reopenOwnAccount') return 2.2
  if (/^(delete|revoke|remove|cancel|end)/.test(name)) return 2
  return /^(signUp|logIn|refresh|confirmIdentity)$/.test(name) ? 0 : 1
}

/**
 * Operations that other tests call: operations that answer a file, which a worker must have made
 * (`test/tasks/openai-shape.test.ts`), the end of a membership, which the only owner cannot end
 * (`test/members/members.test.ts`), and the end of a sign-in, which needs an issuer (`test/single-sign-on`).
 */
const tested = new Set([
  ...['createSpeech', 'downloadVideo', 'leaveAccount'],
  ...['completeSignIn', 'linkIdentity', 'unlinkIdentity'],
])

function expectShape(value: unknown, pointer: string[], name: string): void {
  expect(faultsOf(value, pointer), name).toEqual([])
}

async function send({ method, path, operation }: Described, body: Json, change: Json): Promise<Response> {
  const query = new URLSearchParams()
  const isManagement = path.startsWith('/api/')
  let address = path
  for (const parameter of operation.parameters) {
    const value = change[parameter.name] ?? parameter.example
    if (parameter.in === 'path') address = address.replace(`{${parameter.name}}`, encodeURIComponent(value))
    else if (parameter.in === 'query' && value !== undefined)
      for (const one of [value].flat()) query.append(parameter.name, one)
  }
  const credentials: Json = { operatorKey: operator.key, session: world.session, apiKey: world.apiKey }
  const [scheme] = operation.security.flatMap(Object.keys)
  const credential = credentials[scheme]
  return fetch(`${system.edge.url}${address}?${query}`, {
    method: method.toUpperCase(),
    headers: {
      ...(credential && { authorization: `Bearer ${credential}` }),
      ...((body || !isManagement) && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

const inOrder = described
  .filter(({ operation }) => !tested.has(operation.operationId))
  .toSorted((one, other) => order(one.operation.operationId) - order(other.operation.operationId))

test.for(inOrder)(
  'the example of $operation.operationId is answered, and the answer has the shape that is described',
  async each => {
    const { path, operation } = each
    const name = operation.operationId
    const { body: changed, ...change } = places[name]?.() ?? {}
    const media = operation.requestBody?.content['application/json']
    const body = changed ?? media?.example
    if (media)
      expectShape(
        body,
        ['paths', path, each.method, 'requestBody', 'content', 'application/json', 'schema'],
        name,
      )
    if (/^(cancel|deleteVideo$)/.test(name)) world.taskId = await aPendingTask()
    const answer = await send(each, body, places[name]?.() ?? change)
    const text = await answer.text()
    const expected = Object.keys(operation.responses).find(status => status.startsWith('2')) ?? ''
    expect([answer.status, text.slice(0, 500)], name).toEqual([Number(expected), expect.any(String)])
    const [type = '', shape] = Object.entries(operation.responses[expected].content ?? {})[0] ?? []
    if (shape === undefined) expect(text, name).toBe('')
    else if (type !== 'application/json') expect(answer.headers.get('content-type'), name).toContain(type)
    else {
      const pointer = ['paths', path, each.method, 'responses', expected, 'content', type, 'schema']
      expectShape(JSON.parse(text), pointer, name)
      keeps[name]?.(JSON.parse(text))
    }
    if (name === 'signUp') await prepare(JSON.parse(text).account.id)
    if (name === 'closeOwnAccount')
      await system.context.sql`
        update mailed_links set id = ${linkIds.reopen_account} where purpose = 'reopen_account' and email = 'ada@example.com'`
    if (name === 'createChatCompletion') world.requestId = answer.headers.get('x-request-id') ?? ''
  },
)

/** An account with money has a key that calls models. */
async function prepare(accountId: string): Promise<void> {
  const { context } = system
  world.operatedId = (await anAccount(context, { creditNanos: 0n })).accountId
  world.operatedMemberId = (await aMember(context, { accountId: world.operatedId })).userId
  const key = await anApiKey(context, { accountId })
  world.apiKey = key.text
  const amountNanos = 100_000_000_000n
  await creditAccount(context, { accountId, amountNanos, source: 'example', paymentMethod: 'grant' })
  for (const purpose of ['confirm_email', 'reset_password', 'change_email'] as const)
    await context.sql`
      insert into mailed_links (id, purpose, email, user_id, created_at, expires_at)
      select ${linkIds[purpose]}, ${purpose}, email, id, now(), now() + interval '1 day' from users
      where email = 'ada@example.com'`
  await context.sql`update users set email_confirmed_at = now()`
  await context.sql`
    update invitations set link_id = ${linkIds.accept_invitation} where id = ${await anInvitation(context, { accountId })}`
  world.memberId = (await aMember(context, { accountId })).userId
  const url = 'https://receiver.example/callbacks'
  await context.sql`
    insert into saved_cards (account_id, id, brand, last4, expiry_month, expiry_year, event_at, saved_at)
    values (${accountId}, 'pm_x', 'visa', '4242', 1, 2031, now(), now()) on conflict do nothing`
  await queueDelivery(context.sql, { accountId, id: deliveryId, event: 'task.completed', url, body: '{}' })
}

async function aPendingTask(): Promise<string> {
  const submit = described.find(({ operation }) => operation.operationId === 'submitVideo')!
  const answer = await send(submit, submit.operation.requestBody.content['application/json'].example, {})
  return (await answer.json()).id
}

test('each event of a stream has the shape that is described', async () => {
  const streams = described.filter(
    ({ operation }) => operation.responses['200']?.content?.['text/event-stream'],
  )
  expect(streams).toHaveLength(3)
  for (const each of streams) {
    const example = each.operation.requestBody.content['application/json'].example
    const answer = await send(each, { ...example, stream: true }, {})
    const lines = (await answer.text()).split('\n').filter(line => line.startsWith('data: '))
    expect(lines.length).toBeGreaterThan(2)
    const pointer = [
      'paths',
      each.path,
      each.method,
      'responses',
      '200',
      'content',
      'text/event-stream',
      'schema',
    ]
    for (const line of lines.filter(other => other !== 'data: [DONE]'))
      expectShape(JSON.parse(line.slice(6)), pointer, line)
  }
})

test('errors have the shape that is described', async () => {
  const answers = await Promise.all([
    fetch(`${system.edge.url}/v1/chat/completions`, { method: 'POST' }),
    fetch(`${system.edge.url}/api/v1/me`),
    fetch(`${system.edge.url}/api/v1/usage?group_by=week`, {
      headers: { authorization: `Bearer ${world.apiKey}` },
    }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 422])
  for (const answer of answers)
    expectShape(await answer.json(), ['components', 'schemas', 'Problem'], answer.url)
})

test('forms with the fields that are described are answered', async () => {
  const forms = described.filter(({ operation }) => operation.requestBody?.content['multipart/form-data'])
  expect(forms.map(({ operation }) => operation.operationId)).toEqual([
    'editImage',
    'createUpload',
    'createVideo',
  ])
  const png =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const more: Json = {
    createVideo: { model: 'vendor_i/reel-motion', seconds: '5', size: '1280x720' },
    createUpload: { file: undefined },
    editImage: { image_urls: undefined },
  }
  for (const { path, operation } of forms) {
    const { content } = operation.requestBody
    const { properties } = resolve(content['multipart/form-data'].schema)
    const fields = { ...content['application/json'].example, ...more[operation.operationId] }
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) {
      expect(Object.keys(properties)).toContain(name)
      if (value !== undefined) form.set(name, String(value))
    }
    const file = Object.keys(properties).find(name => properties[name].contentMediaType) ?? ''
    form.set(file, new Blob([Buffer.from(png, 'base64')], { type: 'image/png' }), 'one.png')
    const authorization = `Bearer ${world.apiKey}`
    const answer = await fetch(`${system.edge.url}${path}`, {
      method: 'POST',
      headers: { authorization },
      body: form,
    })
    const text = await answer.text()
    expect([answer.status, text], operation.operationId).toEqual([200, expect.any(String)])
  }
})

test('a 406 of speech is described', async () => {
  const answer = await fetch(`${system.edge.url}/v1/audio/speech`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.apiKey}`,
      'content-type': 'application/json',
      accept: 'audio/mpeg',
    },
    body: JSON.stringify({ model: 'vendor_n/herald', input: 'Good morning.' }),
  })
  expect(answer.status).toBe(406)
  const submit = described.find(({ operation }) => operation.operationId === 'submitSpeech')
  expectShape(
    await answer.json(),
    submit?.operation.responses[406].$ref.slice(2).split('/').concat('content', 'application/json', 'schema'),
    'submitSpeech',
  )
})

test('document and page are served without a credential, and the page asks nobody but us', async () => {
  const { url } = system.edge
  const served = await fetch(`${url}/openapi.json`)
  expect(served.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await served.json()).toEqual(document)
  const page = await fetch(`${url}/docs`)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'")
  const html = await page.text()
  const addresses = [...html.matchAll(/(?:src|href)="((?!data:)[^"]+)"/g)].map(([, address = '']) => address)
  expect(addresses).toContain('/docs/docs.js')
  for (const address of addresses) {
    expect(address).toMatch(/^\/\w/)
    expect((await fetch(`${url}${address}`)).status, address).toBe(200)
  }
  const scripts = await readdir(new URL('../../gateway/openapi/page', import.meta.url))
  for (const name of scripts.filter(file => file.endsWith('.js')))
    expect((await fetch(`${url}/docs/${name}`)).headers.get('content-type')).toContain('javascript')
  expect((await fetch(`${url}/docs`, { method: 'POST' })).status).toBe(405)
  expect((await fetch(`${url}/docs/other`)).status).toBe(404)
})

test('the page writes every shape as a type', async () => {
  const { typeText }: Json = await import(
    new URL('../../gateway/openapi/page/type-text.js', import.meta.url).href
  )
  for (const { operation } of described)
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values<Json>(operation.responses)])
      for (const { schema } of Object.values<Json>(content))
        expect(typeText(schema, resolve), operation.operationId).not.toMatch(/undefined|\[object/)
  const schema = {
    properties: {
      name: { type: 'string', maxLength: 9, description: 'Its name.' },
      parts: { type: 'array', items: { anyOf: [{ type: 'string' }, { const: 'a' }] } },
      error: { $ref: '#/components/schemas/TokenCount' },
    },
    required: ['name'],
  }
  expect(typeText(schema, resolve).split('\n').slice(0, 4)).toEqual([
    '{',
    '  name: string  // Its name; at most 9 characters',
    '  parts?: (string | "a")[]',
    '  error?: {',
  ])
})
