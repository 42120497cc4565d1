import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { systemClock } from '../../platform/clock.ts'
import type { ServerState } from '../server/exchange.ts'
import { type ListenOptions, listen, type RunningServer } from '../server/serve.ts'
import { mailboxApi } from './pages.ts'

/** A parsed mail. */
export interface ReceivedMail extends Email {
  /** The number of the mail, starting at 1. */
  readonly id: number
  /** When it arrived, in Unix milliseconds. */
  readonly at: number
  /** The recipients of the SMTP envelope. */
  readonly recipients: readonly string[]
  /** The sender of the SMTP envelope. */
  readonly mailFrom: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface Mailbox extends ServerState {
  readonly settings: {
    readonly record: boolean
    /** The response to mails: 250, 451 or 550. */
    readonly answer: 'take' | 'later' | 'refuse'
    /** Delay between storing a mail and the response, in milliseconds. */
    readonly answerMs: number
  }
  /** The latest 1,000 mails, oldest first. */
  readonly mails: ReceivedMail[]
}

export interface RunningMailbox extends RunningServer<Mailbox> {
  /** The value for `SMTP_URL`. */
  readonly smtpUrl: string
  /** A live view of the latest 1,000 mails, oldest first. */
  readonly mails: readonly ReceivedMail[]
}

/** Starts a mailbox in this process: a mail server, and a page that lists the mails. */
export async function startMailbox(
  options: ListenOptions & { smtpPort?: number } = {},
): Promise<RunningMailbox> {
  const { smtpPort = 0, host = '127.0.0.1' } = options
  const mailbox: Mailbox = {
    ...{ clock: systemClock, calls: [], requestCount: 0, mails: [] },
    settings: { record: false, answer: 'take', answerMs: 0 },
  }
  const smtp = receiveMails(mailbox)
  smtp.on('error', () => {}) // the client disconnected before the end of its mail
  smtp.listen(smtpPort, host)
  const [http] = await Promise.all([listen(mailbox, [mailboxApi], options), once(smtp.server, 'listening')])
  return {
    ...http,
    smtpUrl: `smtp://${host}:${(smtp.server.address() as AddressInfo).port}`,
    mails: mailbox.mails,
    async close() {
      await Promise.all([http.close(), new Promise<void>(resolve => smtp.close(resolve))])
    },
  }
}

/** Maximum length of a mail, in bytes. */
const maxBytes = 1024 * 1024
const maxMails = 1_000

/** Returns a mail server that accepts every mail and delivers none. It does not listen yet. */
function receiveMails(mailbox: Mailbox): SMTPServer {
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

  const { subject = '', text = '', html = '', ...mail } = await PostalMime.parse(Buffer.concat(chunks))
  const { clock, mails } = mailbox
  mails.push({
    ...{ ...mail, subject, text, html },
    id: (mails.at(-1)?.id ?? 0) + 1,
    at: clock.now(),
    recipients: envelope.rcptTo.map(({ address }) => address),
    mailFrom: envelope.mailFrom ? envelope.mailFrom.address : '',
  })
  if (mails.length > maxMails) mails.shift()
  if (answerMs > 0) await sleep(answerMs, undefined, { ref: false })
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
