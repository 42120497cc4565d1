import { readFileSync } from 'node:fs'
import { runCommand } from '../server/run-command.ts'
import { startReceiver } from './start-receiver.ts'

const help = `The callback receiver: verifies each callback with the account's secret, prints it and stores it.

  node simulators/receiver/main.ts [options]

  --port N          port; 0 picks a free one (default 4020)
  --host ADDRESS    address to listen on (default 127.0.0.1)
  --secrets-in FILE JSON file whose callback_secret signs callbacks; read for each callback
  --help            print this text
`

await runCommand({
  help,
  options: { port: '4020', 'secrets-in': '' },
  async start({ values, port, host }) {
    const { url, close } = await startReceiver({
      ...{ port, host, secrets: () => secretsIn(values['secrets-in']) },
      onCallback({ id, path, isVerified, fault, body }) {
        const signature = isVerified ? 'verified' : `refused (${fault})`
        process.stdout.write(`${signature} ${id} ${path} ${JSON.stringify(body)}\n`)
      },
    })
    return { message: `receiver listening on ${url}`, close }
  },
})

/** Reads the secret of a file. Returns none if the file does not exist yet. */
function secretsIn(file: string): string[] {
  try {
    const { callback_secret: secret } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof secret === 'string' ? [secret] : []
  } catch {
    return []
  }
}
