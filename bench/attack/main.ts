/** Attacks a server until its parent process stops it. The parent sends an `AttackPlan`. */
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, type AttackName, type AttackPlan, type AttackTally, attacks } from './attacks.ts'

/** Pause after a refusal or a closed connection, in milliseconds. */
const pauseMs = 20

/** The attacker's address, as a proxy states it. The neighbour has another one. */
const address = '203.0.113.7'

const tally: AttackTally = {}

process.once('message', (plan: AttackPlan) => {
  process.on('message', () => process.send?.(tally, () => process.exit(0)))
  const attack: Attack = attacks[plan.name as AttackName]
  const requests = plan.keys.map(key => composeRequest(plan, attack, key))
  for (let at = 0; at < attack.connections; at++) void askInTurn(plan.port, attack, { requests, first: at })
})
process.on('disconnect', () => process.exit(0))

async function askInTurn(
  port: number,
  attack: Attack,
  { requests, first }: { requests: readonly Buffer[]; first: number },
): Promise<void> {
  const everyMs = attack.perSecond ? (1_000 * attack.connections) / attack.perSecond : 0
  for (let turn = first; ; turn += attack.connections) {
    const startedAt = performance.now()
    const status = await ask(port, requests[turn % requests.length]!, attack.readsNothing ?? false)
    tally[status] = (tally[status] ?? 0) + 1
    await sleep(Math.max(status === '200' ? 0 : pauseMs, startedAt + everyMs - performance.now()))
  }
}

/** Sends one request on a new connection. Resolves to the status of the response. */
function ask(port: number, request: Buffer, readsNothing: boolean): Promise<string> {
  return new Promise(resolve => {
    let status = 'closed'
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('data', data => {
      status = /^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1', 0, 20))?.[1] ?? 'closed'
      if (readsNothing) socket.pause()
    })
    socket.on('data', () => {})
    socket.on('error', () => {})
    socket.on('close', () => resolve(status))
    socket.write(request)
  })
}

function composeRequest(plan: AttackPlan, { method, path, body }: Attack, key: string): Buffer {
  const text = body ? JSON.stringify(body(plan)) : ''
  const head = [
    `${method ?? 'POST'} ${path ?? '/v1/chat/completions'} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `x-forwarded-for: ${address}`,
    'connection: close',
    ...(text === '' ? [] : [`content-length: ${Buffer.byteLength(text)}`]),
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`)
}
