import { afterAll, beforeAll, expect, test } from 'vitest'
import { aControlPlane, type ControlPlane } from '../../test/harness/a-control-plane.ts'

let control: ControlPlane

beforeAll(async () => {
  control = await aControlPlane()
})
afterAll(() => control.close())

test('what a document costs is told with its result, beside what it may cost', async () => {
  const { token } = await control.aPerson()
  const ask = async (query: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const body = JSON.stringify({ query })
    return (await fetch(`${control.url}/graphql`, { method: 'POST', headers, body })).json()
  }
  const budget = control.config.graphMaxComplexity
  for (
    let turn = 0;
    turn < 2;
    turn++ // the second time its validation is cached
  )
    expect((await ask('{ me { id name } }')).extensions).toEqual({ cost: { requested: 3, maximum: budget } })
  const pages = '{ apiKeys(first: 10) { nodes { id name } } more: apiKeys(last: 4) { nodes { id } } }'
  expect((await ask(pages)).extensions.cost.requested).toBe(1 + 10 * 3 + 1 + 4 * 2)
  const two = await ask('{ apiKey(id: "x") { id } }')
  expect([two.data, two.extensions.cost.requested]).toEqual([{ apiKey: null }, 2])
})
