import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openLatencyCounts } from '../../domain/usage/latency-counts.ts'
import { anApiKey } from '../harness/an-account.ts'
import { aSettledRequest } from '../harness/ledger/a-settled-request.ts'
import { perFile } from '../harness/per-file.ts'
import { aConsole, chromium, violationsOf } from './a-console.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Returns the names of the operations of the graph that a page has sent so far. */
function operationsOf(page: Page): string[] {
  const names: string[] = []
  page.on('request', request => {
    if (request.method() !== 'POST' || !request.url().endsWith('/graphql')) return
    names.push(/(?:query|mutation) (\w+)/.exec(request.postDataJSON().query)?.[1] ?? '')
  })
  return names
}

describe.skipIf(!chromium)('requests and usage in the console', () => {
  const system = perFile(aConsole)

  /** A person whose account has requests of now, of three hours ago and of yesterday: 60, 3 of which one failed, and 2. */
  async function aCustomer() {
    const { context } = system
    const opened = await system.openAs('/console/keys')
    const { accountId } = opened
    const { keyId } = await anApiKey(context, { accountId })
    const log = (agoMs: number, columns: Record<string, string | number> = {}) =>
      aSettledRequest(context.sql, {
        accountId,
        keyId,
        createdAt: new Date(Date.now() - agoMs),
        columns: { model: 'vendor_a/atlas', duration_ms: 900, end_user: 'ada', ...columns },
      })
    for (let count = 0; count < 60; count++) await log(count)
    for (const status of [200, 200, 502]) await log(3 * hourMs, { status, model: 'vendor_b/lyric' })
    for (const status of [200, 429]) await log(dayMs + hourMs, { status })
    const latencies = openLatencyCounts(context)
    const day = new Date().toISOString().slice(0, 10)
    for (let count = 0; count < 20; count++)
      latencies.add({ accountId, keyId, day, model: 'vendor_a/atlas', durationMs: 900, firstByteMs: 120 })
    await latencies.close()
    return opened
  }

  test('a page of the log costs one query, and details are read when a row is opened', async () => {
    const { page, errors } = await aCustomer()
    const operations = operationsOf(page)
    await page.goto(`${system.edge.url}/console/requests`)
    const table = page.getByRole('table', { name: 'Requests', exact: true })
    await table.getByRole('row').nth(50).waitFor()
    await page.getByRole('group', { name: 'Requests by time' }).waitFor()
    expect(operations.filter(name => name === 'Requests')).toHaveLength(1)
    expect(operations).not.toContain('Request')
    const perPage = operations.length
    await page.getByRole('button', { name: 'Next' }).click()
    await expect.poll(() => table.getByRole('row').count()).toBe(16)
    expect(operations.slice(perPage)).toEqual(['Requests'])
    await table.getByRole('link').first().click()
    await page.getByRole('dialog').getByText('Why it cost that').waitFor()
    expect(operations.slice(perPage)).toEqual(['Requests', 'Request'])
    expect(errors).toEqual([])
  })

  test('a bar that is chosen by pointer or keyboard narrows the list, and a row points out its bar', async () => {
    const { page, errors } = await aCustomer()
    await page.goto(`${system.edge.url}/console/requests?hours=24`)
    const bars = page.getByRole('group', { name: 'Requests by time' })
    const table = page.getByRole('table', { name: 'Requests', exact: true })
    const failing = bars.getByRole('button', { name: /Without an error 2, Failed 1/ })
    await failing.click()
    await expect.poll(() => table.getByRole('row').count()).toBe(4)
    expect(new URL(page.url()).searchParams.get('slot')).toMatch(/T\d\d:00:00\.000Z$/)
    await expect.poll(() => failing.getAttribute('aria-pressed')).toBe('true')
    await page.reload()
    await expect.poll(() => table.getByRole('row').count()).toBe(4)
    expect(await violationsOf(page)).toEqual([])

    await failing.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => table.getByRole('row').count()).toBe(51)
    expect(new URL(page.url()).searchParams.get('slot')).toBe(null)
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.get('slot')).not.toBe(null)
    await page.getByRole('button', { name: 'Show the whole period' }).click()
    await expect.poll(() => table.getByRole('row').count()).toBe(51)

    const dimmed = () => bars.locator('rect.opacity-40').count()
    expect(await dimmed()).toBe(0)
    await table.getByRole('row').nth(1).hover()
    await expect.poll(dimmed).toBeGreaterThan(0)
    expect(errors).toEqual([])
  })

  test('the chosen columns are in the address', async () => {
    const { page, errors } = await aCustomer()
    await page.goto(`${system.edge.url}/console/requests`)
    const header = (name: string) => page.getByRole('columnheader', { name, exact: true })
    await header('Cost').waitFor()
    expect(await header('End user').count()).toBe(0)
    await page.getByRole('button', { name: /Choose the columns/ }).click()
    await page.getByRole('checkbox', { name: 'End user' }).click()
    await page.getByRole('checkbox', { name: 'Cost' }).click()
    await header('End user').waitFor()
    await page.reload()
    await page.getByRole('cell', { name: 'ada' }).first().waitFor()
    expect(await header('Cost').count()).toBe(0)
    await page.getByRole('button', { name: /Choose the columns/ }).click()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Show the usual columns' }).click()
    await header('Cost').waitFor()
    expect(errors).toEqual([])
  })

  test('usage and overview show how long requests took', async () => {
    const { page, errors } = await aCustomer()
    await page.goto(`${system.edge.url}/console/usage`)
    const row = page.getByRole('row', { name: /vendor_a\/atlas/ })
    await expect.poll(() => row.innerText()).toMatch(/\d+ ms · [\d.]+ m?s.*\d+ ms · \d+ ms/s)
    await page.getByRole('link', { name: 'Time (p95)' }).click()
    await page.getByText('95% took at most this time').waitFor()
    await page
      .getByRole('button', { name: /Median \(p50\) [1-9]\d+ ms/ })
      .first()
      .waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.goto(`${system.edge.url}/console`)
    await page.getByText(/95% within [\d.]+ s/).waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(errors).toEqual([])
  })
})
