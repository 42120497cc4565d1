import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startMailbox } from '../../simulators/mailbox/start-mailbox.ts'
import { perFile } from '../../test/harness/per-file.ts'
import { isPlainAddress, type Mail, sendMail, sendsMail } from './send-mail.ts'

const mailbox = perFile(startMailbox)
beforeEach(() => mailbox.change({ answer: 'take', answerMs: 0 }))

const mail: Mail = {
  id: 'alert.1',
  to: ['one@example.com', 'two@example.com'],
  subject: 'Your credits are low',
  paragraphs: ['They fell below $5.00 < $6.00.', 'Über & out: <script>alert(1)</script>'],
}

const mailFrom = 'Rubicon <alerts@rubicon.example>'

const send = (
  changes: Partial<Mail> = {},
  smtpUrl: string = mailbox.smtpUrl,
  signal = new AbortController().signal,
) => sendMail({ smtpUrl, mailFrom }, { ...mail, ...changes }, signal)

test('a mail server receives it as text and as HTML, from us and for those it is for alone', async () => {
  expect(await send()).toEqual({ refused: 0 })
  const received = mailbox.mails.at(-1)
  expect(received).toMatchObject({
    recipients: mail.to,
    to: mail.to.map(address => ({ address })),
    mailFrom: 'alerts@rubicon.example',
    from: { name: 'Rubicon', address: 'alerts@rubicon.example' },
    subject: mail.subject,
    messageId: '<alert.1@rubicon.example>',
  })
  expect(received?.text.trim()).toBe(mail.paragraphs.join('\n\n'))
  expect(received?.html).toContain('<p>Über &amp; out: &lt;script&gt;alert(1)&lt;/script&gt;</p>')
  expect(received?.headers).toContainEqual(
    expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
  )
})

test('sent again it has the same Message-ID', async () => {
  await send()
  await send()
  expect(new Set(mailbox.mails.map(({ messageId }) => messageId)).size).toBe(1)
})

test('a subject with line breaks adds no header', async () => {
  await send({ subject: 'Low\r\nBcc: thief@example.com\n\nHello' })
  const { subject, recipients, headers } = mailbox.mails.at(-1)!
  expect(subject).toBe('Low Bcc: thief@example.com Hello')
  expect(recipients).toEqual(mail.to)
  expect(headers.map(({ key }) => key)).not.toContain('bcc')
})

test.each([
  'a,thief@example.com',
  '<thief@example.com',
  'x>,<thief@example.com',
  '"a"thief@example.com',
  'a:b@c.d;',
  '',
])('an address that a mail program could read as another is none: %s', address =>
  expect(isPlainAddress(address)).toBe(false),
)

test.each(["o'hara+rubicon@mail.example.com", 'größe@beispiel.example', 'a!#$%&*/=?^_`{|}~.-b@c.d'])(
  'every other address gets its mail: %s',
  async address => {
    expect(isPlainAddress(address)).toBe(true)
    await send({ to: [address] })
    expect(mailbox.mails.at(-1)?.recipients).toEqual([address])
  },
)

test.each(['later', 'refuse'] as const)(
  'a server that answers %s makes it throw, and nothing was received',
  async answer => {
    const before = mailbox.mails.length
    mailbox.change({ answer })
    await expect(send()).rejects.toThrow(/Try again later|mailbox does not exist/)
    expect(mailbox.mails).toHaveLength(before)
  },
)

test('a server that is not there makes it throw at once', async () => {
  await expect(send({}, 'smtp://127.0.0.1:1')).rejects.toThrow(/ECONNREFUSED/)
})

test('a server that says nothing holds it no longer than its signal allows, and is hung up on', async () => {
  const sockets = new Set<Socket>()
  const silent = createServer(socket => sockets.add(socket.on('close', () => sockets.delete(socket))))
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void silent.close())
  const url = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  await expect(send({}, url, AbortSignal.timeout(200))).rejects.toThrow()
  await expect.poll(() => sockets.size).toBe(0)
})

test('a password is not sent to a server elsewhere that does not encrypt', async () => {
  const port = new URL(mailbox.smtpUrl).port
  // Another name of this machine, which does not look like one.
  await expect(send({}, `smtp://us:secret@[::ffff:127.0.0.1]:${port}`)).rejects.toThrow(/STARTTLS|TLS/)
  expect(await send({}, `smtp://us:p%40ss@127.0.0.1:${port}`)).toEqual({ refused: 0 })
})

test('none sends nothing', () => {
  expect(sendsMail({ smtpUrl: 'none' })).toBe(false)
  expect(sendsMail({ smtpUrl: mailbox.smtpUrl })).toBe(true)
})
