import { runCommand } from '../server/run-command.ts'
import { startIssuer } from './start-issuer.ts'

/** `service-url` is the URL of Rubicon, and `name` is the name of this issuer in `SINGLE_SIGN_ON_FILE`. */
await runCommand(
  {
    port: '4013',
    host: '127.0.0.1',
    'service-url': 'http://127.0.0.1:8080',
    name: 'simulated',
    'client-id': 'rubicon',
    'client-secret': 'simulated-client-secret',
  },
  options =>
    startIssuer({
      ...{ port: Number(options.port), host: options.host, name: options.name },
      serviceUrl: options['service-url'],
      clientId: options['client-id'],
      clientSecret: options['client-secret'],
    }),
)
