import { once } from 'node:events'
import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { text } from 'node:stream/consumers'
import { TLSSocket } from 'node:tls'
import { dayMs } from '../../platform/clock.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { type Finding, findingsOf, type Result } from './check.ts'

/** Number of days before its end at which a certificate is reported. Automatic renewals happen earlier. */
const certificateDays = 14

/** Checks that BASE_URL leads to a ready edge, with a valid certificate. Throws the reason if nothing answers there. */
export async function checkBaseUrl({ baseUrl }: Pick<Config, 'baseUrl'>): Promise<Result> {
  const answer = await readReadiness(baseUrl)
  const days = answer.certificateEnds && Math.floor((answer.certificateEnds - Date.now()) / dayMs)
  const findings = [
    ...readinessFindings(`BASE_URL (${baseUrl})`, 'an edge', answer),
    ...findingsOf([
      [
        days !== undefined && days < certificateDays,
        `the certificate of BASE_URL ends in ${days} days`,
        'Renew it, and repair its automatic renewal.',
      ],
    ]),
  ]
  return {
    findings,
    summary: `${baseUrl} is ready${days === undefined ? '' : `, certificate valid for ${days} days`}`,
  }
}

/** Checks that CONTROL_URL leads to a ready control plane. Throws the reason if nothing answers there. */
export async function checkControlUrl({ controlUrl }: Pick<Config, 'controlUrl'>): Promise<Result> {
  const findings = readinessFindings(
    `CONTROL_URL (${controlUrl})`,
    'a control plane',
    await readReadiness(controlUrl),
  )
  return { findings, summary: `${controlUrl} is ready` }
}

/** The answer of `/readyz`. */
interface Readiness {
  status: number
  /** The reason in the body why the process is not ready. Undefined if the body is not Rubicon's. */
  reason: string | undefined
  isOwn: boolean
  /** When the certificate ends, in milliseconds since 1970. */
  certificateEnds: number | undefined
}

async function readReadiness(url: string): Promise<Readiness> {
  const send = url.startsWith('https:') ? requestTls : requestPlain
  const request = send(new URL(`${url}/readyz`), { agent: false })
  const answered = once(request, 'response')
  request.end()
  const [response] = await answered
  const { socket } = response
  const certificateEnds =
    socket instanceof TLSSocket ? Date.parse(socket.getPeerCertificate().valid_to) : undefined
  const body = parseBody(await text(response))
  return {
    status: response.statusCode,
    isOwn: body?.status === 'ok' || body?.status === 'unavailable',
    reason: body?.reason,
    certificateEnds,
  }
}

function parseBody(body: string): { status?: string; reason?: string } | undefined {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function readinessFindings(
  address: string,
  process: string,
  { status, reason, isOwn }: Readiness,
): Finding[] {
  return findingsOf([
    [
      !isOwn,
      `${address} does not lead to ${process}: /readyz answers with ${status}`,
      'Correct the address, or the target of the proxy.',
    ],
    [
      isOwn && reason !== undefined,
      `${process} at ${address} is not ready: ${reason}`,
      'Remove the cause, or read the log of the process.',
    ],
  ])
}
