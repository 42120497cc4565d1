import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startMailbox } from './start-mailbox.ts'

const help = `The mailbox simulator: a mail server that catches every mail, and a page that shows them.

  node simulators/mailbox/main.ts [options]

  --port N        of the page; 0 takes a free port (default 4011)
  --smtp-port N   of the mail server, for SMTP_URL (default 4012)
  --host ADDRESS  default 127.0.0.1
  --help          this text
`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4011' },
    'smtp-port': { type: 'string', default: '4012' },
    host: { type: 'string', default: '127.0.0.1' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  process.stdout.write(help)
} else {
  const mailbox = await startMailbox({
    port: readPort('port', values.port),
    smtpPort: readPort('smtp-port', values['smtp-port']),
    host: values.host,
  })
  process.stdout.write(`mailbox at ${mailbox.url}, mail server at ${mailbox.smtpUrl}\n`)
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
  await mailbox.close()
}

function readPort(name: string, text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  process.stderr.write(`--${name} takes a port, not "${text}"\n`)
  process.exit(2)
}
