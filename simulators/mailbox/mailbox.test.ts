import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { perFile } from '../../test/harness/per-file.ts'
import { startMailbox } from './start-mailbox.ts'

const mailbox = perFile(startMailbox)

async function send(to: string, subject: string, text: string): Promise<void> {
  const { hostname: host, port } = new URL(mailbox.smtpUrl)
  const transport = createTransport({ host, port: Number(port) })
  await transport.sendMail({ from: 'us@example.com', to, subject, text, html: '<b>bold</b>' })
}

test('mails are listed as JSON, filtered by recipient', async () => {
  await send('one@example.com', 'First', 'plain')
  await send('two@example.com', 'Second', 'plain')
  const response = await fetch(`${mailbox.url}/mails?to=TWO@example.com`)
  expect(await response.json()).toMatchObject({ data: [{ subject: 'Second', text: 'plain\n' }] })
})

test('pages escape the mails, link their URLs and forbid scripts', async () => {
  const text = '<b> http://localhost:1/confirm#a-b.c_d. "http://x"onclick=1'
  await send('one@example.com', '<script>alert(1)</script>', text)
  const page = await fetch(mailbox.url)
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  const list = await page.text()
  expect(list).toContain('&lt;script&gt;alert(1)')
  expect(list).not.toContain('<script>alert')
  const url = `${mailbox.url}/mails/${mailbox.mails.at(-1)?.id}`
  const one = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
  expect(one).toContain('&lt;b&gt;')
  expect(one).toContain('srcdoc="&lt;b&gt;bold&lt;/b&gt;')
  const links = [...one.matchAll(/<a href="([^"]*)" rel="noreferrer">/g)].map(([, link]) => link)
  expect(links).toEqual(['http://localhost:1/confirm#a-b.c_d', 'http://x'])
})
