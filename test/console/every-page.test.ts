import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { checkout } from '../../dev/home.ts'
import { perFile } from '../harness/per-file.ts'
import { aConsole, type ConsolePage, chromium, closePage, keepPictures, violationsOf } from './a-console.ts'
import { accountPages, publicPages, servicePages } from './pages.ts'

const widths = { desktop: 1280, phone: 360 }

describe.skipIf(!chromium)('every page of the console', () => {
  const system = perFile(() => aConsole())
  const signedIn = perFile(() => system.openAs('/console'), closePage)
  const stranger = perFile(() => system.open('/console/log-in'), closePage)
  afterEach(context => keepPictures(system, context))

  test.each(accountPages)('%s has no violations, on a desktop and on a phone, light and dark', async path => {
    const { page, errors } = await visit(signedIn, path)
    await page.getByRole('button', { name: /^Account and settings/ }).waitFor()
    await page.waitForLoadState('networkidle')
    await expectNoViolations({ page, errors })
    expect(await page.title()).toMatch(/ · Rubicon$/)
  })

  test.each(publicPages)('%s opens without a session, and has no violations', async path => {
    const { page, errors } = await visit(stranger, path)
    await page.getByRole('link').first().waitFor()
    await expectNoViolations({ page, errors })
  })

  test.each(servicePages)('%s has the tokens of the console, and no violations', async path => {
    const { page, errors } = await visit(stranger, path)
    await page
      .getByRole('heading')
      .nth(path === '/docs' ? 1 : 0)
      .waitFor()
    // Browsers report the status of a page that does not exist.
    errors.splice(0, errors.length, ...errors.filter(error => !error.includes('404')))
    const tokens = readFileSync(join(checkout, 'platform/pages/tokens.css'), 'utf8')
    const [, canvas] = /--color-canvas: (.*);/.exec(tokens) ?? []
    const shown = await page.evaluate(() =>
      getComputedStyle(document.documentElement).getPropertyValue('--color-canvas'),
    )
    expect(shown).toBe(canvas)
    await expectNoViolations({ page, errors })
  })

  test('a page that the network cuts off says so, and what is on it stays', async () => {
    const { page } = await visit(signedIn, '/console/keys')
    await page.getByText('No API keys yet').waitFor()
    await page.context().setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await page.getByText('No API keys yet').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Budgets' }).click()
    await page
      .getByText(/The service does not answer|Your session is kept/)
      .first()
      .waitFor()
    await page.context().setOffline(false)
    await page.getByText('No budgets yet').waitFor()
  })

  test('a page says that the service does not answer, and continues without a reload by the reader', async () => {
    const { page } = await visit(signedIn, '/console/keys')
    await page.getByText('No API keys yet').waitFor()
    await page.route('**/*', route => route.abort())
    await page.getByRole('link', { name: 'Budgets' }).click()
    await page
      .getByText(/The service does not answer/)
      .first()
      .waitFor()
    await page.unroute('**/*')
    await page.getByText('No budgets yet').waitFor()
  })

  /** Opens another page as the same visitor, in a wide window. */
  async function visit({ page, errors }: ConsolePage, path: string): Promise<ConsolePage> {
    errors.length = 0
    await page.setViewportSize({ width: widths.desktop, height: 720 })
    await page.goto(system.edge.url + path)
    return { page, errors }
  }

  async function expectNoViolations({ page, errors }: ConsolePage): Promise<void> {
    for (const width of Object.values(widths)) {
      await page.setViewportSize({ width, height: 740 })
      expect(await violationsOf(page), `at ${width} pixels`).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow, `at ${width} pixels`).toBeLessThanOrEqual(0)
    }
    expect(errors).toEqual([])
  }
})

describe('docs/console.md', () => {
  const text = readFileSync(join(checkout, 'docs/console.md'), 'utf8')

  test('every picture that it names exists, and every picture is named', () => {
    const named = [...text.matchAll(/\(pictures\/([\w-]+\.webp)\)/g)].map(([, name]) => name)
    expect(new Set(named)).toEqual(new Set(globSync('*.webp', { cwd: join(checkout, 'docs/pictures') })))
  })

  test('every page of the router is described, or named as left out', () => {
    const routes = globSync('console/pages/**/route.ts', { cwd: checkout })
    const paths = routes.flatMap(file =>
      [...readFileSync(join(checkout, file), 'utf8').matchAll(/path: '\/?([^']*)'/g)].map(([, path]) => path),
    )
    const missing = paths.filter(path => path && !text.includes(`\`/console/${path}\``))
    expect(paths.length).toBeGreaterThan(15)
    expect(missing).toEqual([])
  })
})
