import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { Handler } from '../server/exchange.ts'
import { sendWhole } from '../server/send-whole.ts'
import type { Simulator } from '../simulator.ts'

/** The one service account that the simulator knows; its key pair is made when it is first asked for. */
export interface ServiceAccount {
  readonly clientEmail: string
  readonly projectId: string
  readonly privateKeyId: string
  readonly publicKey: KeyObject
  /** PEM. */
  readonly privateKey: string
}

export function serviceAccountOf(simulator: Simulator): ServiceAccount {
  simulator.serviceAccount ??= makeAccount()
  return simulator.serviceAccount
}

/** Where a request came in, as a client writes it. */
export function tokenUriOf(host: string | undefined): string {
  return `http://${host}/vertex/token`
}

/** GET /vertex/service-account.json: the file that a customer would have downloaded from the vendor's console. */
export const showServiceAccount: Handler = (simulator, exchange) => {
  const { clientEmail, projectId, privateKeyId, privateKey } = serviceAccountOf(simulator)
  return sendWhole(exchange, {
    body: JSON.stringify({
      type: 'service_account',
      project_id: projectId,
      private_key_id: privateKeyId,
      private_key: privateKey,
      client_email: clientEmail,
      client_id: '100000000000000000000',
      token_uri: tokenUriOf(exchange.request.headers.host),
    }),
  })
}

function makeAccount(): ServiceAccount {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    clientEmail: 'caller@sim-project.iam.gserviceaccount.com',
    projectId: 'sim-project',
    privateKeyId: 'sim0000000000000000000000000000000000key',
    publicKey,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}
