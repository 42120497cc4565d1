import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import { startMailbox } from './start-mailbox.ts'

const mailbox = perFile(startMailbox)

async function send(to: string, subject: string): Promise<void> {
  const { hostname: host, port } = new URL(mailbox.smtpUrl)
  const transport = createTransport({ host, port: Number(port) })
  await transport.sendMail({ from: 'us@example.com', to, subject, text: 'plain <b>', html: '<b>bold</b>' })
}

const json = async (path: string, init?: RequestInit) => (await fetch(mailbox.url + path, init)).json()

test('mails are listed as JSON, filtered by recipient and ID', async () => {
  await send('one@example.com', 'First')
  await send('two@example.com', 'Second')
  const { data } = await json('/mails')
  expect(data.map(({ subject }: { subject: string }) => subject)).toEqual(['First', 'Second'])
  expect((await json('/mails?to=TWO@example.com')).data).toEqual([data[1]])
  expect((await json(`/mails?since=${data[0].id}`)).data).toEqual([data[1]])
  expect(await json(`/mails/${data[0].id}`)).toMatchObject({ subject: 'First', text: 'plain <b>\n' })
  expect((await fetch(`${mailbox.url}/mails/999`)).status).toBe(404)
})

test('the page of a mail links the URLs in its text', async () => {
  const { hostname: host, port } = new URL(mailbox.smtpUrl)
  const text = 'Confirm: http://localhost:1/confirm#a-b.c_d. "http://x"onclick=1'
  await createTransport({ host, port: Number(port) }).sendMail({
    from: 'us@example.com',
    to: 'one@example.com',
    text,
  })
  const url = `${mailbox.url}/mails/${mailbox.mails.at(-1)?.id}`
  const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  expect([...page.matchAll(/<a href="([^"]*)" rel="noreferrer">/g)].map(([, link]) => link)).toEqual([
    'http://localhost:1/confirm#a-b.c_d',
    'http://x',
  ])
})

test('pages escape the mails and forbid scripts', async () => {
  await send('one@example.com', '<script>alert(1)</script>')
  const page = await fetch(mailbox.url)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const list = await page.text()
  expect(list).toContain('&lt;script&gt;alert(1)')
  expect(list).not.toContain('<script>alert')
  const { id } = mailbox.mails.at(-1)!
  const one = await (await fetch(`${mailbox.url}/mails/${id}`, { headers: { accept: 'text/html' } })).text()
  expect(one).toContain('plain &lt;b&gt;')
  expect(one).toContain('srcdoc="&lt;b&gt;bold&lt;/b&gt;')
})

test('a setting makes mails fail temporarily or permanently, and DELETE removes all mails', async () => {
  const settings = (changes: object) =>
    json('/__sim/settings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(changes),
    })
  expect(await settings({ answer: 'later' })).toMatchObject({ answer: 'later', answer_ms: 0 })
  await expect(send('one@example.com', 'x')).rejects.toMatchObject({ responseCode: 451 })
  await settings({ answer: 'refuse' })
  await expect(send('one@example.com', 'x')).rejects.toMatchObject({ responseCode: 550 })
  await settings({ answer: 'take' })
  await fetch(`${mailbox.url}/mails`, { method: 'DELETE' })
  await send('one@example.com', 'Afterwards')
  expect((await json('/mails')).data).toHaveLength(1)
})
