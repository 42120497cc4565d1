import { readFileSync } from 'node:fs'
import { runCommand } from '../server/run-command.ts'
import { startReceiver } from './start-receiver.ts'

/** `secrets-in` is a JSON file whose `callback_secret` signs callbacks; it is read for each callback. */
await runCommand({ port: '4020', host: '127.0.0.1', 'secrets-in': '' }, options =>
  startReceiver({
    ...{ port: Number(options.port), host: options.host, secrets: () => secretsIn(options['secrets-in']) },
    onCallback({ id, path, isVerified, fault, body }) {
      const signature = isVerified ? 'verified' : `refused (${fault})`
      console.log(`${signature} ${id} ${path} ${JSON.stringify(body)}`)
    },
  }),
)

/** Reads the secret of a file. Returns none if the file does not exist yet. */
function secretsIn(file: string): string[] {
  try {
    const { callback_secret: secret } = JSON.parse(readFileSync(file, 'utf8'))
    return typeof secret === 'string' ? [secret] : []
  } catch {
    return []
  }
}
