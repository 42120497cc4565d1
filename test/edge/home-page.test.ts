import { afterAll, beforeAll, expect, test } from 'vitest'
import { pageIcon } from '../../platform/pages/render-page.ts'
import { anEdgeBeforeControl } from '../harness/an-edge.ts'

let system: Awaited<ReturnType<typeof anEdgeBeforeControl>>

beforeAll(async () => {
  system = await anEdgeBeforeControl()
})
afterAll(() => system.close())

const browser = 'text/html,application/xhtml+xml'

test('a browser gets a page with links at / and at an unknown address; other clients get JSON', async () => {
  const open = (path: string, accept: string) => fetch(system.edge.url + path, { headers: { accept } })
  const [home, missing] = [await open('/', browser), await open('/nowhere', browser)]
  expect([home.status, missing.status]).toEqual([200, 404])
  for (const page of [home, missing]) {
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(await page.text()).toMatch(/href="\/docs".*href="\/graphql".*href="\/readyz"/s)
  }
  for (const answer of [await open('/', '*/*'), await open('/v1/nowhere', browser)])
    expect([answer.status, (await answer.json()).error.code]).toEqual([404, 'not_found'])
})

test('the control plane answers a browser with the same page at its own /', async () => {
  const open = async (accept: string) => fetch(system.control.url, { headers: { accept } })
  const page = await open(browser)
  expect([page.status, (await page.text()).includes('href="/docs"')]).toEqual([200, true])
  expect((await open('*/*')).status).toBe(404)
})

test.each([
  '/',
  '/nowhere',
  '/docs',
  '/graphql',
  '/account/confirm-email',
  '/account/reset-password',
  '/api/v1/billing/topup/done',
])('the page %s has the icon and fits small screens, and loads nothing that it does not name', async path => {
  const page = await fetch(system.edge.url + path, { headers: { accept: browser } })
  const html = await page.text()
  expect(html).toContain(`<link rel="icon" href="${pageIcon}">`)
  expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*img-src data:/)
})
