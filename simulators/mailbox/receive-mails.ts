import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime, { type Address } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { type Mailbox, storeMail } from './mailbox.ts'

/** Maximum length of a mail, in bytes. */
const maxBytes = 1024 * 1024

/** Returns a mail server that accepts every mail and delivers none. It does not listen yet. */
export function receiveMails(mailbox: Mailbox): SMTPServer {
  return new SMTPServer({
    name: 'mailbox.simulator',
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'], // there is no certificate
    disableReverseLookup: true,
    size: maxBytes,
    closeTimeout: 100,
    onAuth: ({ username }, _session, done) => done(null, { user: username }),
    onData: (stream, session, done) => {
      receive(mailbox, stream, session).then(() => done(), done)
    },
  })
}

async function receive(
  mailbox: Mailbox,
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) if (stream.byteLength <= maxBytes) chunks.push(chunk)
  const { answer, answerMs } = mailbox.settings
  if (stream.sizeExceeded) throw smtpError(552, 'The mail exceeds 1 MB')
  if (answer === 'later') throw smtpError(451, 'Try again later')
  if (answer === 'refuse') throw smtpError(550, 'The mailbox does not exist')

  const mail = await PostalMime.parse(Buffer.concat(chunks))
  storeMail(mailbox, {
    recipients: envelope.rcptTo.map(({ address }) => address),
    sender: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
    messageId: mail.messageId ?? '',
    from: addressesOf(mail.from ? [mail.from] : [])[0] ?? '',
    to: addressesOf(mail.to ?? []),
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    headers: mail.headers.map(({ key, value }) => ({ key, value })),
  })
  if (answerMs > 0) await sleep(answerMs, undefined, { ref: false })
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}

function addressesOf(addresses: readonly Address[]): string[] {
  return addresses.flatMap(({ address, group }) => (address ? [address] : addressesOf(group ?? [])))
}
