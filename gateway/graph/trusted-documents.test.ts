import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { aControlPlane, type ControlPlane, type Person } from '../../test/harness/a-control-plane.ts'
import { openTrustedDocuments } from './trusted-documents.ts'

const viewer = 'query Viewer { viewer { user { email } } }'
const key = 'query Key($id: ID!) { apiKey(id: $id) { name } }'
const idOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
let folder: string
let file: string
let control: ControlPlane
let person: Person

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trusted-'))
  file = join(folder, 'documents.json')
  await writeFile(file, JSON.stringify({ [idOf(viewer)]: viewer, [idOf(key)]: key }))
  control = await aControlPlane({ GRAPH_TRUSTED_FILE: file })
  person = await control.aPerson()
})
afterAll(async () => {
  await control.close()
  await rm(folder, { recursive: true })
})

async function send(body: object, url = control.url, token = person.token) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, ...(await answer.json()) }
}

test('a trusted document runs by ID over POST and GET, with its variables', async () => {
  const { data } = await send({ documentId: idOf(viewer) })
  expect(data).toEqual({ viewer: { user: { email: person.email } } })
  const made = await control.rest('POST', '/api-keys', { token: person.token, body: { name: 'mine' } })
  const variables = { id: made.body.id }
  expect((await send({ documentId: idOf(key), variables })).data).toEqual({ apiKey: { name: 'mine' } })

  const query = new URLSearchParams({ documentId: idOf(key), variables: JSON.stringify(variables) })
  const headers = { authorization: `Bearer ${person.token}`, accept: 'application/json' }
  const byGet = await fetch(`${control.url}/graphql?${query}`, { headers })
  expect((await byGet.json()).data).toEqual({ apiKey: { name: 'mine' } })
})

test('an unknown ID is refused with its parameter; other documents are still accepted', async () => {
  for (const documentId of ['sha256:0', '__proto__', 5]) {
    const { status, errors } = await send({ documentId })
    expect([status, errors[0].extensions]).toMatchObject([
      400,
      { problem: 'invalid_request', param: 'documentId' },
    ])
  }
  expect((await send({ query: '{ me { id } }' })).data.me.id).toBe(person.accountId)
})

test('if only trusted documents are allowed, others are refused and REST still works', async () => {
  const strict = await aControlPlane({ GRAPH_TRUSTED_FILE: file, GRAPH_TRUSTED_ONLY: 'true' })
  onTestFinished(() => strict.close())
  const { token, email } = await strict.aPerson()
  expect((await send({ documentId: idOf(viewer) }, strict.url, token)).data.viewer.user.email).toBe(email)
  expect((await send({ query: viewer }, strict.url, token)).data.viewer.user.email).toBe(email)
  for (const query of ['{ me { id } }', `${viewer} `, '{ __schema { queryType { name } } }']) {
    const { data, errors } = await send({ query }, strict.url, token)
    expect([data ?? null, errors[0].extensions.problem]).toEqual([null, 'invalid_request'])
  }
  expect((await strict.rest('GET', '/me', { token })).status).toBe(200)
})

test('an invalid file stops the start', async () => {
  const wrong = join(folder, 'wrong.json')
  for (const content of ['[]', '{}', '{"a":5}', '"x"', '{']) {
    await writeFile(wrong, content)
    await expect(openTrustedDocuments({ graphTrustedFile: wrong, graphTrustedOnly: false })).rejects.toThrow()
  }
  await expect(openTrustedDocuments({ graphTrustedFile: '', graphTrustedOnly: true })).rejects.toThrow(
    'GRAPH_TRUSTED_FILE',
  )
})
