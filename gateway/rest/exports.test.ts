import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { theControlPlane } from '../../test/harness/a-control-plane.ts'
import { anApiKey, type TestKey } from '../../test/harness/an-account.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { csvLine } from './csv-line.ts'

let key: TestKey
const many = 3_000
const statements: string[] = []

const { control, person } = theControlPlane(
  {},
  { limits: { stalledReaderMs: 1_500 }, onStatement: statement => statements.push(statement) },
)
const rich = perFile(() => control.aPerson())

beforeAll(async () => {
  const { sql } = control.context
  key = await anApiKey(control.context, { accountId: person.accountId })
  for (const [turn, endUser] of ['=1+1', 'a "quoted", name', '-7', null].entries()) {
    const columns = { end_user: endUser, prompt_tokens: turn }
    const keyId = turn === 3 ? control.context.ids.uuid() : key.keyId
    const createdAt = new Date(Date.now() - turn * 1000)
    await aSettledRequest(sql, { accountId: person.accountId, keyId, createdAt, columns })
  }
  await sql`
  insert into request_logs (account_id, created_at, id, api_key_id, route, status, model, end_user)
  select ${rich.accountId}, now() - n * interval '1 second', 'req_' || lpad(n::text, 8, '0'), ${key.keyId}, 'chat', 200,
  'vendor_a/model', repeat('x', 8000)
  from generate_series(1, ${many}) n`
})

const open = (path: string, token = person.token) =>
  fetch(`${control.url}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })

test('a list is exported line by line with the same records as its pages', async () => {
  const answer = await open('/logs/requests.ndjson')
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="requests.ndjson"')
  const lines = (await answer.text()).trimEnd().split('\n')
  const { body } = await control.rest('GET', '/logs/requests', { token: person.token })
  expect(lines.map(line => JSON.parse(line))).toEqual(body.data)
})

test('a CSV export has a header, quotes values and escapes formulas', async () => {
  const answer = await open('/logs/requests.csv')
  expect(answer.headers.get('content-type')).toMatch(/^text\/csv/)
  const [head = '', ...lines] = (await answer.text()).split('\r\n')
  const { body } = await control.rest('GET', '/logs/requests', { token: person.token })
  expect(head.split(',')).toEqual(Object.keys(body.data[0]))
  expect(lines).toHaveLength(5)
  expect(lines[0]).toContain(",'=1+1,")
  expect(lines[1]).toContain(',"a ""quoted"", name",')
  expect(lines[2]).toContain(",'-7,")
  expect(lines[4]).toBe('')
})

test.each([
  [[null, undefined, 0, -1.5, true], ',,0,-1.5,true\r\n'],
  [['+1', '@x', '\tx', '\rx', "'x"], "'+1,'@x,'\tx,\"'\rx\",'x\r\n"],
  [
    [' =1', '\u00a0\ufeff+1', '\u0000\u200b-1', '＝1', '＠x', ' x=1'],
    "' =1,'\u00a0\ufeff+1,'\u0000\u200b-1,'＝1,'＠x, x=1\r\n",
  ],
  [['a\nb', 'a,b', '=a"b'], '"a\nb","a,b","\'=a""b"\r\n'],
])('CSV line of %j', (values, line) => {
  expect(csvLine(values)).toBe(line)
})

test('an empty list is an empty file, or only the header', async () => {
  const nobody = await control.aPerson()
  expect(await (await open('/logs/requests.ndjson', nobody.token)).text()).toBe('')
  expect((await (await open('/usage.csv', nobody.token)).text()).split('\r\n')).toHaveLength(2)
})

test("exports have the list's filters, permissions and errors", async () => {
  const filtered = await (await open('/logs/requests.ndjson?end_user=-7')).text()
  expect(filtered.split('\n')).toHaveLength(2)
  const own = await (await open('/logs/requests.ndjson', key.text)).text()
  expect(own.trimEnd().split('\n')).toHaveLength(3)
  const wrong = await open('/logs/requests.csv?status=fine')
  expect([wrong.status, (await wrong.json()).error.param]).toEqual([422, 'status'])
  expect((await fetch(`${control.url}/api/v1/logs/requests.csv`)).status).toBe(401)
  const usage = await (await open('/usage.ndjson?group_by=model')).text()
  expect(JSON.parse(usage)).toMatchObject({ model: 'vendor_a/model', requests: 4 })
})

test('a slow client receives a long log completely, and pages are read only as needed', async () => {
  statements.length = 0
  const reads = () => statements.filter(statement => statement.includes('from request_logs')).length
  const { response } = await reader()
  await sleep(700)
  const ahead = reads()
  expect(ahead).toBeLessThan(many / 100 / 2)
  const lines = (await text(response)).trimEnd().split('\n')
  expect(lines).toHaveLength(many)
  expect(new Set(lines.map(line => JSON.parse(line).id)).size).toBe(many)
  expect(reads()).toBe(many / 100 + 2) // after the last page of the day, the week and everything before it are searched
})

test('a stalled client is disconnected, a disconnect ends the export, and an account has at most two exports', async () => {
  const statusOfAnother = async () => {
    const answer = await open('/logs/requests.ndjson?since=2999-01-01T00:00:00Z', rich.token)
    await answer.body?.cancel()
    return [answer.status, answer.headers.get('retry-after')]
  }
  const [one, other] = [await reader(), await reader()]
  expect(await statusOfAnother()).toEqual([429, '1'])
  other.response.destroy()
  await expect.poll(statusOfAnother, { timeout: 10_000 }).toEqual([200, null])

  const third = await reader()
  await expect.poll(statusOfAnother, { timeout: 20_000 }).toEqual([200, null])
  for (const { response } of [one, third]) response.once('error', () => {})
  const endings = await Promise.all([one, third].map(({ response }) => ending(response)))
  expect(endings).toContain('aborted')
  statements.length = 0
  await sleep(300)
  expect(statements.filter(statement => statement.includes('from request_logs'))).toEqual([])
}, 60_000)

test('a client that does not read the last page is disconnected', async () => {
  const { accountId, token } = await control.aPerson()
  const columns = { error_code: 'x'.repeat(16_000_000) } // more than the sockets buffer
  await aSettledRequest(control.context.sql, { accountId, keyId: key.keyId, columns })
  const { response } = await reader(token)
  response.once('error', () => {})
  await sleep(3_000)
  expect(await ending(response)).toBe('aborted')
}, 20_000)

test('an export breaks off about one second after its key is revoked', async () => {
  const revoked = await anApiKey(control.context, { accountId: rich.accountId })
  await control.context
    .sql`update request_logs set api_key_id = ${revoked.keyId} where account_id = ${rich.accountId}`
  const { response } = await reader(revoked.text)
  response.on('data', () => {
    response.pause()
    setTimeout(() => response.resume(), 30)
  })
  const { status } = await control.rest('DELETE', `/api-keys/${revoked.keyId}`, { token: rich.token })
  expect(status).toBe(204)
  expect(await ending(response)).toBe('aborted')
})

test('clients that disconnect before their export starts do not count', async () => {
  const headers = { authorization: `Bearer ${person.token}` }
  for (let at = 0; at < 40; at++) {
    const leaving = request(`${control.url}/api/v1/logs/requests.ndjson`, { headers })
    leaving.on('error', () => {}).end()
    await once(leaving, 'finish')
    await sleep(at % 8)
    leaving.destroy()
  }
  const status = async () => {
    const answer = await open('/logs/requests.ndjson')
    await answer.text()
    return answer.status
  }
  await expect.poll(status).toBe(200)
  await expect.poll(async () => Promise.all([status(), status()])).toEqual([200, 200])
}, 20_000)

/** Reads a response and returns how it ends. */
function ending(response: IncomingMessage): Promise<string> {
  return new Promise(resolve => {
    response.once('error', error => resolve(error.message))
    response.once('end', () => resolve('end'))
    response.resume()
  })
}

/** A client that does not read its response until it is started. */
async function reader(token = rich.token) {
  const asked = request(`${control.url}/api/v1/logs/requests.ndjson`, {
    headers: { authorization: `Bearer ${token}` },
    agent: false,
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    asked.once('response', resolve).once('error', reject).end(),
  )
  return { response }
}
