import { runCommand } from '../server/run-command.ts'
import { startSimulator } from './start-simulator.ts'

await runCommand({ port: '4010', host: '127.0.0.1', 'generation-ms': '0' }, options => {
  const settings = { generationMs: Number(options['generation-ms']), record: false }
  return startSimulator({ port: Number(options.port), host: options.host, settings })
})
