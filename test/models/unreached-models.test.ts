import { expect, test } from 'vitest'
import { aClient, saying, type TestClient } from '../harness/a-client.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

const system = perFile(() => anEdgeBeforeControl({ VENDOR_B_API_KEY: '' }))

const lyric = 'vendor_b/lyric'

/** What an account is shown and may call of the vendor without a credential of the platform. */
async function seenBy({ text, post }: TestClient) {
  const headers = { authorization: `Bearer ${text}` }
  const read = async (path: string) => (await fetch(system.edge.url + path, { headers })).json()
  const { data }: { data: { id: string }[] } = await read('/v1/models')
  const managed: { total: number } = await read('/api/v1/models?provider=vendor_b')
  const prices: { data: { model: string }[] } = await read('/api/v1/pricing')
  const answer = await post('/chat/completions', saying('Hi', lyric))
  return {
    isListed: data.some(({ id }) => id === lyric),
    isManaged: managed.total > 0,
    isPriced: prices.data.some(({ model }) => model === lyric),
    code: answer.status === 200 ? 200 : (await answer.json()).error.code,
  }
}

test('a model that no credential reaches is hidden and refused, until the account adds its own credential', async () => {
  const [client, other] = [await aClient(system), await aClient(system)]
  const unseen = { isListed: false, isManaged: false, isPriced: false, code: 'model_unavailable' }
  expect(await seenBy(client)).toEqual(unseen)

  const added = await fetch(`${system.edge.url}/api/v1/byok`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.text}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'vendor_b', label: 'own', api_key: 'sim-own' }),
  })
  expect(added.status).toBe(201)
  expect(await seenBy(client)).toEqual({ isListed: true, isManaged: true, isPriced: true, code: 200 })
  expect(await seenBy(other)).toEqual(unseen)
})
