import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { control } from '../server/calls.ts'
import { serve } from '../server/serve.ts'
import { type CaughtMail, createMailbox, type Settings } from './mailbox.ts'
import { receiveMails } from './receive-mails.ts'
import { mailboxApi } from './routes.ts'

export interface RunningMailbox {
  /** What `SMTP_URL` takes. */
  readonly smtpUrl: string
  /** Its page, and below it the mails as JSON. */
  readonly url: string
  /** The mails received, live: the oldest first, at most 1,000. */
  readonly mails: readonly CaughtMail[]
  /** Changes any of the settings; the others stay. */
  change(settings: Partial<Settings>): void
  /** Stops listening and cuts the connections that are still open. */
  close(): Promise<void>
}

/** Starts a mailbox in this process: a mail server, and a page that shows what it has caught. */
export async function startMailbox(
  options: { port?: number; smtpPort?: number; host?: string } = {},
): Promise<RunningMailbox> {
  const { port = 0, smtpPort = 0, host = '127.0.0.1' } = options
  const mailbox = createMailbox()
  const smtp = receiveMails(mailbox)
  smtp.on('error', () => {}) // of a client that left: its mail is not kept
  const http = createServer(serve(mailbox, [control, mailboxApi]))
  http.listen(port, host)
  smtp.listen(smtpPort, host)
  await Promise.all([once(http, 'listening'), once(smtp.server, 'listening')])
  return {
    smtpUrl: `smtp://${host}:${portOf(smtp.server)}`,
    url: `http://${host}:${portOf(http)}`,
    mails: mailbox.mails,
    change: settings => void Object.assign(mailbox.settings, settings),
    async close() {
      http.closeAllConnections()
      await Promise.all([
        new Promise(resolve => http.close(resolve)),
        new Promise<void>(resolve => smtp.close(resolve)),
      ])
    },
  }
}

function portOf(server: Pick<Server, 'address'>): number {
  return (server.address() as AddressInfo).port
}
