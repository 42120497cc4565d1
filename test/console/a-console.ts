import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import axe, { type RunOptions } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { inject, type TestContext } from 'vitest'
import { buildConsole, consoleFolder } from '../../dev/build-console.ts'
import { checkout } from '../../dev/home.ts'
import { freePort } from '../../dev/services/ports.ts'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { creditAccount } from '../../domain/ledger/adjust-credits.ts'
import { systemIds } from '../../platform/ids.ts'
import { type RunningMailbox, startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import { startPaymentSimulator } from '../../simulators/payment/start-payment-simulator.ts'
import { startWorker } from '../../worker/start-worker.ts'
import { aSettingsFile } from '../harness/a-context.ts'
import type { Person } from '../harness/a-rest-caller.ts'
import { anEdgeBeforeControl, type FrontedSystem } from '../harness/an-edge.ts'
import { anIssuer, type TestIssuer } from '../harness/single-sign-on/an-issuer.ts'
import { findChromium, startBrowser } from '../sign-in/a-browser.ts'

declare global {
  interface Window {
    /** In a page that was examined. */
    axe: typeof axe
  }
}

export { logIn } from '../sign-in/a-browser.ts'

export const chromium = findChromium()
if (!chromium) process.stdout.write('The tests of the console are skipped: no Chromium is on the PATH.\n')

/** The built console behind the edge, with the whole system and a browser. */
export interface ConsoleSystem extends FrontedSystem {
  browser: Browser
  /** Opens a page of the console in a browser without cookies. */
  open(path: string): Promise<ConsolePage>
  /** Gives ten dollars to the account of the person with this e-mail address. */
  credit(email: string): Promise<void>
  /** The key of the operator ada. */
  operatorKey: string
  /** Runs a document of the graph as an operator. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into what the graph answers, and fail where it is not there
  operate(query: string, variables?: object): Promise<any>
  /** The page that opened an address last. */
  lastUsed(): Page | undefined
  /** Opens a page as a new person, who has ten dollars. */
  openAs(path: string): Promise<ConsolePage & Person>
}

export interface ConsolePage {
  page: Page
  /** Errors of scripts, and violations of the content security policy. */
  errors: string[]
}

/**
 * `issuer` is an issuer of single sign-on whose people may open accounts. With a worker, tasks are made within a second
 * and stored. With mail, the service has a mail server, so it accepts invitations; only a worker sends e-mails, which a
 * mailbox receives.
 */
export async function aConsole({
  withIssuer = false,
  withWorker = false,
  withMail = false,
} = {}): Promise<ConsoleSystem & { issuer: TestIssuer | undefined; mailbox: RunningMailbox | undefined }> {
  if (!(await buildConsole())) throw new Error('The console cannot be built. Run npm ci.')
  const port = String(await freePort())
  const baseUrl = `http://127.0.0.1:${port}`
  const issuer = withIssuer
    ? await anIssuer('acme', { redirect_uris: [`${baseUrl}/account/sso/acme/callback`] })
    : undefined
  const mailbox = withMail ? await startMailbox() : undefined
  const operator = mintOperatorKey(systemIds)
  const webhookSecret = 'whsec_0123456789abcdef0123456789abcdef'
  const processor = await startPaymentSimulator({
    key: 'sk_test_simulated_payments',
    webhookUrl: `${baseUrl}/api/v1/webhooks/stripe`,
    webhookSecret,
    settings: { retryMs: 50 },
  })
  const env = {
    OPERATOR_KEYS: `ada=${operator.digest}`,
    STRIPE_SECRET_KEY: processor.key,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_URL: processor.url,
    EDGE_PORT: port,
    BASE_URL: baseUrl,
    ALLOWED_ORIGINS: `http://localhost:${port}`, // where pages with passkeys are
    LOGIN_TRIES: '1000',
    ...(withWorker && storageAt(baseUrl)),
    ...(mailbox && { SMTP_URL: mailbox.smtpUrl }),
    ...(issuer && { SINGLE_SIGN_ON_FILE: aSettingsFile({ acme: issuerSettings(issuer) }) }),
  }
  const system = await anEdgeBeforeControl(env, { consoleFolders: [consoleFolder] })
  system.simulator.change({ generationMs: 1_000 })
  const worker = withWorker ? await startWorker(system.config) : undefined
  const browser = await startBrowser(chromium ?? '')
  let latest: Page | undefined
  const openIn = async (context: BrowserContext, path: string) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const page = await context.newPage()
    page.on('framenavigated', () => {
      latest = page
    })
    const errors: string[] = []
    page.on('pageerror', error => errors.push(String(error)))
    page.on('console', message => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(system.edge.url + path)
    return { page, errors }
  }
  const visitor = { locale: 'en-US', reducedMotion: 'reduce' } as const
  const credit = async (email: string) => {
    const [user] = await system.context.sql<{ accountId: string }[]>`
      select m.account_id as "accountId" from memberships m join users u on u.id = m.user_id where u.email = ${email}`
    if (!user) throw new Error(`nobody has the address ${email}`)
    const gift = { amountNanos: 10_000_000_000n, source: 'test', paymentMethod: 'grant' } as const
    await creditAccount(system.context, { accountId: user.accountId, ...gift })
  }
  return {
    ...system,
    issuer,
    mailbox,
    browser,
    lastUsed: () => latest,
    open: async path => openIn(await browser.newContext(visitor), path),
    credit,
    operatorKey: operator.key,
    async operate(query, variables) {
      const response = await fetch(`${system.edge.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${operator.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      const { data, errors } = await response.json()
      if (errors) throw new Error(JSON.stringify(errors))
      return data
    },
    async openAs(path) {
      const person = await system.aPerson()
      await credit(person.email)
      // As console/session/session.ts marks a browser with a session.
      const localStorage = [{ name: 'has-session', value: 'true' }]
      const storageState = { cookies: [], origins: [{ origin: baseUrl, localStorage }] }
      const context = await browser.newContext({ ...visitor, storageState })
      await context.request.post(`${baseUrl}/api/v1/auth/log-in`, {
        headers: { 'x-session-cookie': '1', origin: baseUrl },
        data: { email: person.email, password: person.password },
        failOnStatusCode: true,
      })
      const opened = await openIn(context, path)
      // A page that is left while it refreshes the session would lose the session.
      await opened.page.getByRole('main').getByRole('heading').first().waitFor()
      return { ...person, ...opened }
    },
    async close() {
      await browser.close()
      await worker?.close()
      await system.close()
      await issuer?.close()
      await mailbox?.close()
      await processor.close()
    },
  }
}

/** The settings with which the edge stores and serves media, and a worker starts. */
function storageAt(baseUrl: string) {
  const folder = join(inject('mediaFolder'), randomBytes(6).toString('hex'))
  return { MEDIA_URL: `${baseUrl}/media`, MEDIA_FOLDER: folder, WORKER_PORT: '0' }
}

function issuerSettings({ url, clientId, clientSecret }: TestIssuer) {
  return {
    issuer: url,
    client_id: clientId,
    client_secret: clientSecret,
    title: 'Acme',
    opens_accounts: true,
  }
}

export async function closePage({ page }: ConsolePage): Promise<void> {
  await page.context().close()
}

/** Returns the violations that axe finds. Between light and dark, only the contrast of colours differs. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await runAxe(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  return [...light, ...(await runAxe(page, { runOnly: ['color-contrast'] }))]
}

function runAxe(page: Page, options: RunOptions = {}): Promise<string[]> {
  return page.evaluate(async rules => {
    const { violations } = await window.axe.run(document, { ...rules, resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  }, options)
}

/** Where the pictures of failed tests are. */
const failureFolder = join(checkout, '.rubicon/failed-tests')

/**
 * Takes a picture of the pages of the context that was used last, if the test failed. Register it with `afterEach`.
 */
export async function keepPictures({ lastUsed }: ConsoleSystem, { task }: TestContext): Promise<void> {
  if (task.result?.state !== 'fail') return
  const pages = lastUsed()?.context().pages() ?? []
  for (const [index, page] of pages.entries()) {
    const path = join(failureFolder, `${task.name.replaceAll(/\W+/g, '-')}-${index}.png`)
    await page.screenshot({ path, timeout: 5_000 }).catch(() => undefined)
    process.stdout.write(`picture of the failed test: ${path}\n`)
  }
}
