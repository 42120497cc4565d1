import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime, { type Address } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { keepMail, type Mailbox } from './mailbox.ts'

/** No mail is longer; what is, is refused. */
const maxBytes = 1024 * 1024

/** A mail server that takes every mail, for whomever it is, and sends none on. It does not listen yet. */
export function receiveMails(mailbox: Mailbox): SMTPServer {
  return new SMTPServer({
    name: 'mailbox.simulator',
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'], // it has no certificate
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
  if (stream.sizeExceeded) throw refusal(552, 'The mail is too long')
  if (answer === 'later') throw refusal(451, 'Come back later')
  if (answer === 'refuse') throw refusal(550, 'Not here')

  const mail = await PostalMime.parse(Buffer.concat(chunks))
  keepMail(mailbox, {
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

function refusal(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode })
}

function addressesOf(addresses: readonly Address[]): string[] {
  return addresses.flatMap(({ address, group }) => (address ? [address] : addressesOf(group ?? [])))
}
