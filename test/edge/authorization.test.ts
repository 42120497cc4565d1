import { request } from 'node:http'
import { expect, test } from 'vitest'
import { aClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(anEdgeBeforeControl)
const client = perFile(() => aClient(system))

const entries: [entry: string, address: () => string][] = [
  ['the edge', () => `${system.edge.url}/v1/models`],
  ['the control plane', () => `${system.control.url}/api/v1/billing/balance`],
  ['the control plane through the edge', () => `${system.edge.url}/api/v1/billing/balance`],
]

/** The status of a GET with exactly these headers. */
function statusWith(address: string, authorization: string[]): Promise<number | undefined> {
  const headers = authorization.flatMap((value, index) => [
    index % 2 ? 'authorization' : 'Authorization',
    value,
  ])
  return new Promise((resolve, reject) => {
    const call = request(address, { headers: ['host', new URL(address).host, ...headers] })
    call.on('response', response => resolve(response.resume().statusCode))
    call.on('error', reject)
    call.end()
  })
}

test.each(entries)('%s takes Bearer in any case, one blank or more, and the key', async (_, address) => {
  for (const beginning of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer   '])
    expect(await statusWith(address(), [beginning + client.text]), beginning).toBe(200)
})

test.each(entries)('%s takes nothing else', async (_, address) => {
  const { text } = client
  const others = [
    text,
    `Bearer${text}`,
    `Basic ${text}`,
    `Bearer\t${text}`,
    `Bearer ${text} x`,
    `Bearer ${text},`,
  ]
  for (const other of [...others, 'Bearer', 'Bearer ', `Bearer ${'x'.repeat(8193)}`])
    expect(await statusWith(address(), [other]), other).toBe(401)
})

test.each(entries)('%s refuses two Authorization headers, also when both are good', async (_, address) => {
  const good = `Bearer ${client.text}`
  for (const two of [
    [good, good],
    [good, 'Bearer other'],
    ['Bearer other', good],
    [good, ''],
  ])
    expect(await statusWith(address(), two), two.join(' and ')).toBe(401)
})
