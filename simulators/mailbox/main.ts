import { runCommand } from '../server/run-command.ts'
import { startMailbox } from './start-mailbox.ts'

await runCommand({ port: '4011', host: '127.0.0.1', 'smtp-port': '4012' }, options =>
  startMailbox({ port: Number(options.port), host: options.host, smtpPort: Number(options['smtp-port']) }),
)
