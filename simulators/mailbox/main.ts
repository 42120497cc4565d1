import { runCommand } from '../server/run-command.ts'
import { startMailbox } from './start-mailbox.ts'

const help = `The mailbox simulator: a mail server that delivers nothing, and a page that lists the mails.

  node simulators/mailbox/main.ts [options]

  --port N        port of the page; 0 picks a free one (default 4011)
  --smtp-port N   port of the mail server, for SMTP_URL (default 4012)
  --host ADDRESS  address to listen on (default 127.0.0.1)
  --help          print this text
`

await runCommand({
  help,
  options: { port: '4011', 'smtp-port': '4012' },
  async start({ port, host, count }) {
    const { url, smtpUrl, close } = await startMailbox({ port, host, smtpPort: count('smtp-port') })
    return { message: `mailbox at ${url}, mail server at ${smtpUrl}`, close }
  },
})
