import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { control } from '../server/calls.ts'
import { type Address, listen, type RunningServer } from '../server/serve.ts'
import { createMailbox, type ReceivedMail, type Settings } from './mailbox.ts'
import { receiveMails } from './receive-mails.ts'
import { mailboxApi } from './routes.ts'

export interface RunningMailbox extends RunningServer {
  /** The value for `SMTP_URL`. */
  readonly smtpUrl: string
  /** A live view of the latest 1,000 mails, oldest first. */
  readonly mails: readonly ReceivedMail[]
  /** Changes the given settings and keeps the others. */
  change(settings: Partial<Settings>): void
}

/** Starts a mailbox in this process: a mail server, and a page that lists the mails. */
export async function startMailbox(options: Address & { smtpPort?: number } = {}): Promise<RunningMailbox> {
  const { smtpPort = 0, host = '127.0.0.1' } = options
  const mailbox = createMailbox()
  const smtp = receiveMails(mailbox)
  smtp.on('error', () => {}) // the client disconnected before the end of its mail
  smtp.listen(smtpPort, host)
  const [http] = await Promise.all([
    listen(mailbox, [control, mailboxApi], options),
    once(smtp.server, 'listening'),
  ])
  return {
    smtpUrl: `smtp://${host}:${(smtp.server.address() as AddressInfo).port}`,
    url: http.url,
    mails: mailbox.mails,
    change: settings => void Object.assign(mailbox.settings, settings),
    async close() {
      await Promise.all([http.close(), new Promise<void>(resolve => smtp.close(resolve))])
    },
  }
}
