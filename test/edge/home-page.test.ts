import { expect, test } from 'vitest'
import { theEdgeSystem } from '../harness/an-edge.ts'

const system = theEdgeSystem()

test('a browser gets a page with links at / and at an unknown address; other clients get JSON', async () => {
  const open = (path: string, accept: string) => fetch(system.edge.url + path, { headers: { accept } })
  const browser = 'text/html,application/xhtml+xml'
  const [home, missing] = [await open('/', browser), await open('/nowhere', browser)]
  expect([home.status, missing.status]).toEqual([200, 404])
  for (const page of [home, missing]) {
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await page.text()).toMatch(/href="\/docs".*href="\/graphql".*href="\/readyz"/s)
  }
  for (const answer of [await open('/', '*/*'), await open('/v1/nowhere', browser)])
    expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'not_found'])
})
