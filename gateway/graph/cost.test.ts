import { expect, test } from 'vitest'
import { allowanceTable } from '../../schema/allowances.ts'
import { aControlPlane } from '../../test/harness/a-control-plane.ts'
import { perFile } from '../../test/harness/per-file.ts'

const control = perFile(aControlPlane)

test("the result contains the document's cost and the maximum", async () => {
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
  expect((await ask(pages)).extensions.cost.requested).toBe(2 + 10 * 2 + 2 + 4)
  const two = await ask('{ apiKey(id: "x") { id } }')
  expect([two.data, two.extensions.cost.requested]).toEqual([{ apiKey: null }, 2])
})

test('a field in several fragments costs once, and fields of the page itself are not multiplied', async () => {
  const { token } = await control.aPerson()
  const costOf = async (query: string) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const answer = await fetch(`${control.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    })
    return (await answer.json()).extensions.cost.requested
  }
  const fragments = 'fragment A on Account { id name } fragment B on Account { id apiKeys { id } ...A }'
  expect(await costOf(`{ me { id ...A ...B ...B } } ${fragments}`)).toBe(4 + allowanceTable.keys.paying)
  expect(await costOf('{ apiKeys(first: 10) { pageInfo { hasNextPage endCursor } totalCount } }')).toBe(5)
  expect(await costOf('{ apiKeys(first: 10) { nodes { id } nodes { id name } } }')).toBe(2 + 10 * 2)
  const either = '{ node(id: "x") { ... on ApiKey { id name } ... on Model { id name } } }'
  expect(await costOf(either)).toBe(3)
})
