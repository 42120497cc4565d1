import { expect, test } from 'vitest'
import { perFile } from '../harness/per-file.ts'
import { aPageWithAuthenticator, findChromium, startBrowser } from './a-browser.ts'
import { aSignInSystem, baseUrl } from './a-sign-in-system.ts'

const chromium = findChromium()
if (!chromium)
  process.stdout.write('The journey with passkeys in Chromium is skipped: no Chromium is on the PATH.\n')

const system = perFile(aSignInSystem)

/** The functions of a console, as a browser runs them. */
const consoleScript = `
  async function call(path, body, token) {
    const headers = { 'content-type': 'application/json', ...(token && { authorization: 'Bearer ' + token }) }
    const response = await fetch('/api/v1/auth/' + path, { method: 'POST', headers, body: body && JSON.stringify(body) })
    return response.json()
  }
  async function addPasskey(token) {
    const { options, challenge_token } = await call('start-passkey-registration', undefined, token)
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
    const passkey = (await navigator.credentials.create({ publicKey })).toJSON()
    return call('passkeys', { challenge_token, name: 'Chromium', passkey }, token)
  }
  async function sign(challenge) {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(challenge.passkey_options)
    return { challenge_token: challenge.token, passkey: (await navigator.credentials.get({ publicKey })).toJSON() }
  }
  async function logInAlone() {
    const { challenge } = await call('start-passkey-log-in')
    return call('complete-log-in', await sign(challenge))
  }
  async function logIn(credentials) {
    const { challenge } = await call('log-in', credentials)
    return call('complete-log-in', await sign(challenge))
  }
  async function confirm(token) {
    const { challenge } = await call('start-confirmation', undefined, token)
    return call('confirm', await sign(challenge), token)
  }`

test.skipIf(!chromium)(
  'a passkey of Chromium is added, logs in alone and after the password, and confirms',
  async () => {
    const browser = await startBrowser(chromium ?? '')
    try {
      const page = await aPageWithAuthenticator(browser, { origin: baseUrl, url: system.url })
      await page.addScriptTag({ content: consoleScript })
      const person = await system.aConfirmedPerson()
      const { email, password } = person
      const run = (script: string, arg: unknown) =>
        page.evaluate<Record<string, unknown>>(`${script}(${JSON.stringify(arg)})`)

      const added = await run('addPasskey', person.token)
      expect(added).toEqual({ id: expect.any(String), recovery_codes: expect.any(Array), ended_sessions: 0 })
      const alone = await run('logInAlone', null)
      expect(alone).toMatchObject({ account: { id: person.accountId }, access_token: expect.any(String) })
      const afterPassword = await run('logIn', { email, password })
      expect(afterPassword).toMatchObject({ account: { id: person.accountId } })

      const token = String(alone.access_token)
      await system.rest('POST', '/api-keys', { token, body: { name: 'a key' } })
      await system.makeUnconfirmed(person)
      const keys = async () => (await system.rest('GET', '/api-keys', { token })).body
      expect((await keys())[0].full_key).toBeUndefined()
      expect(await run('confirm', token)).toEqual({ confirmed_until: expect.any(String) })
      expect((await keys())[0].full_key).toMatch(/^sk-rb-/)
    } finally {
      await browser.close()
    }
  },
)
