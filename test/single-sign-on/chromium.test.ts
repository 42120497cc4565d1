import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aCompany, acmeAccountId } from '../harness/single-sign-on/a-company.ts'
import { serviceOrigin } from '../harness/single-sign-on/service-origin.ts'
import { findChromium, startBrowser } from '../sign-in/a-browser.ts'

const chromium = findChromium({ isComplete: true })
const company = perFile(() => aCompany())

/** A browser on a busy machine needs seconds. */
const slow = { timeout: 10_000 }

test.skipIf(!chromium)(
  'a person signs in through an issuer in Chromium, and can read what failed',
  async () => {
    const { host } = new URL(company.control.url)
    const browser = await startBrowser(chromium ?? '', {
      args: [
        `--host-resolver-rules=MAP ${new URL(serviceOrigin).host}:80 ${host}`,
        `--unsafely-treat-insecure-origin-as-secure=${serviceOrigin}`, // as with HTTPS
      ],
    })
    try {
      const page = await (await browser.newContext()).newPage()
      const status = page.locator('[role=status]')
      const signIn = async () => {
        await page.goto(`${serviceOrigin}/account/sign-in`)
        await page.fill('input', 'ada@acme.example')
        await page.getByRole('button', { name: 'Continue', exact: true }).click()
        await page.getByRole('button', { name: 'Continue with Acme' }).click()
      }
      company.acme.person = undefined
      await signIn()
      await expect.poll(() => status.textContent(), slow).toMatch(/^The identity provider did not confirm/)

      const email = 'ada@acme.example'
      company.acme.person = { sub: 'ada', email, email_verified: true, groups: ['platform'] }
      await signIn()
      await expect.poll(() => status.textContent(), slow).toMatch(/^You are signed in to Acme/)
      expect(page.url()).toBe(`${serviceOrigin}/account/sign-in`) // without the code
      const { accessToken } = await page.evaluate<{ accessToken: string }>(
        "JSON.parse(sessionStorage.getItem('session'))",
      )
      expect((await company.control.rest('GET', '/me', { token: accessToken })).body.id).toBe(acmeAccountId)

      const { visited } = await company.browser().signIn('acme', { stop: url => url.includes('/callback') })
      await page.goto(visited.url) // the link of a sign-in that began in another browser
      expect(await page.textContent('main')).toMatch(/Sign-in failed.*began elsewhere/)
      await page.getByRole('link', { name: 'Sign in again' }).click()
      await expect.poll(() => page.textContent('h1'), slow).toBe('Sign in')
    } finally {
      await browser.close()
    }
  },
)
