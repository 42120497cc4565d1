import type { Page } from 'playwright-core'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import { findChromium, logIn, startBrowser } from '../../test/sign-in/a-browser.ts'
import { person } from '../graph/open-console.ts'
import { median } from '../measure/statistics.ts'
import { type Row, row } from '../report/result.ts'

/** Maximum median time until a page shows its figures. */
const maxMedianMs = 1_000

/** The measured pages, with the maximum number of statements that read the request log. */
const pages = [
  { name: 'overview', path: '/console', maxStatements: 0 },
  { name: 'page of requests', path: '/console/requests', maxStatements: 1 },
  { name: 'page of requests of 24 hours', path: '/console/requests?hours=24', maxStatements: 2 },
]

/**
 * Measures the time from navigation until pages of the console show their figures, in Chromium, with an empty and a full
 * cache of the browser, and counts the statements that read the request log. `url` is the URL of a control plane in which
 * `person` has signed up.
 */
export async function measureConsole(
  sql: Sql,
  { url, runs, tell }: { url: string; runs: number; tell(line: string): void },
): Promise<Row[]> {
  const chromium = findChromium()
  if (!chromium) {
    tell('pages of the console are not measured: no Chromium is on the PATH')
    return []
  }
  await sql`create extension if not exists pg_stat_statements`
  const browser = await startBrowser(chromium)
  try {
    const page = await browser.newPage({ locale: 'en-US' })
    await page.goto(`${url}/console/log-in`)
    await logIn(page, person)
    await untilComplete(page)
    const rows: Row[] = []
    for (const measured of pages) rows.push(...(await measurePage(sql, page, { ...measured, url, runs })))
    return rows
  } finally {
    await browser.close()
  }
}

async function measurePage(
  sql: Sql,
  page: Page,
  args: (typeof pages)[number] & { url: string; runs: number },
): Promise<Row[]> {
  const { name, path, maxStatements, url, runs } = args
  const devtools = await page.context().newCDPSession(page)
  const cold: number[] = []
  const warm: number[] = []
  const statements: number[] = []
  const open = async () => {
    await page.goto(url + path, { waitUntil: 'commit' })
    return untilComplete(page)
  }
  while (warm.length < runs) {
    await devtools.send('Network.clearBrowserCache')
    cold.push(await open())
    await sql`select pg_stat_statements_reset()`
    warm.push(await open())
    statements.push(await countStatements(sql))
  }
  const figures = (durationsMs: number[]) => ({
    'p50 ms': median(durationsMs),
    'max ms': Math.max(...durationsMs),
    statements: Math.max(...statements),
  })
  const targets = { 'p50 ms': { max: maxMedianMs }, statements: { max: maxStatements } }
  return [
    row(`${name}, empty cache of the browser`, figures(cold), targets),
    row(`${name}, full cache of the browser`, figures(warm), targets),
  ]
}

/** Resolves to the time since navigation when the page shows rows, and nothing is being loaded, in milliseconds. */
function untilComplete(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const isComplete = () => {
      const content = document.querySelector('main')
      return content?.querySelector('tbody tr') && !content.querySelector('[role=status]')
    }
    while (!isComplete()) await new Promise(resolve => requestAnimationFrame(resolve))
    return performance.now()
  })
}

/** Returns the number of executed statements that read the request log, since the last reset. */
async function countStatements(sql: Sql): Promise<number> {
  const [counted] = await sql<{ calls: number }[]>`
    select coalesce(sum(calls), 0)::int as calls from pg_stat_statements where query ~ 'from request_logs'`
  return counted?.calls ?? 0
}
