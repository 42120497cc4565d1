import { generateContent } from '../gemini/generate/generate-content.ts'
import { presentHeaders } from '../gemini/present-headers.ts'
import { refuse, refuseTrouble } from '../gemini/refuse.ts'
import type { Exchange, WireFormat } from '../server/exchange.ts'
import type { Simulator } from '../simulator.ts'
import { giveToken } from './give-token.ts'
import { serviceAccountOf, showServiceAccount } from './service-account.ts'

const unauthenticated =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'

/** Gemini's models in a project of Vertex, for any region: base address `{simulator}/vertex`. */
export const vertex: WireFormat = {
  prefix: '/vertex/',
  routes: [
    { method: 'GET', path: '/vertex/service-account.json', handle: showServiceAccount },
    { method: 'POST', path: '/vertex/token', handle: giveToken },
    {
      method: 'POST',
      path: /^\/vertex\/v1(beta1)?\/projects\/(?<project>[^/]+)\/locations\/(?<region>[a-z0-9-]+)\/publishers\/google\/models\/(?<model>[^/]+):(?<method>generateContent|streamGenerateContent)$/,
      handle: generateContent({ authenticate, presentHeaders, refuseTrouble }),
    },
  ],
  presentHeaders,
  refuseUnknown: () => refuse(404, 'Requested entity was not found.'),
  refuseTooLarge: () => refuse(400, 'Request payload size exceeds the limit: 104857600 bytes.'),
}

/** The project that a valid token may call the models of: who calls is who pays. */
function authenticate(simulator: Simulator, { request, params }: Exchange): string {
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const expiresAt = simulator.accessTokens.get(token)
  if (expiresAt === undefined || expiresAt <= simulator.clock.now()) throw refuse(401, unauthenticated)
  const { project = '', region, model } = params
  if (project === serviceAccountOf(simulator).projectId) return project
  const resource = `//aiplatform.googleapis.com/projects/${project}/locations/${region}/publishers/google/models/${model}`
  throw refuse(
    403,
    `Permission 'aiplatform.endpoints.predict' denied on resource '${resource}' (or it may not exist).`,
  )
}
