/** Attacks a server until its parent process stops it. The parent sends an `AttackPlan`. */
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { type Attack, type AttackName, attacks } from './attacks.ts'
import { AttackPlan, type AttackTally } from './plan.ts'

/** Pause after an answer that was refused or a connection that was closed, in milliseconds. */
const pauseMs = 20

/** Where the attack comes from, as a proxy states it: the neighbour is at another address. */
const address = '203.0.113.7'

const counts = new Map<string, number>()

process.once('message', message => {
  const plan = Value.Parse(AttackPlan, message)
  const attack: Attack = attacks[plan.name as AttackName]
  const requests = plan.keys.map(key => composeRequest(plan, attack, key))
  process.on('message', () => {
    const tally: AttackTally = Object.fromEntries(counts)
    process.send?.(tally, () => process.exit(0))
  })
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
    const begunAt = performance.now()
    const status = await ask(port, requests[turn % requests.length]!, attack.readsNothing ?? false)
    counts.set(status, (counts.get(status) ?? 0) + 1)
    await sleep(Math.max(status === '200' ? 0 : pauseMs, begunAt + everyMs - performance.now()))
  }
}

/** Sends one request on a new connection. Resolves to the status of the response. */
function ask(port: number, request: Buffer, readsNothing: boolean): Promise<string> {
  return new Promise(resolve => {
    let status = 'closed'
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.once('data', data => {
      status = /^HTTP\/1\.1 (\d+)/.exec(data.toString('latin1', 0, 20))?.[1] ?? 'closed'
      if (readsNothing && status === '200') socket.pause()
    })
    socket.on('data', () => {})
    if (readsNothing) socket.once('data', () => socket.pause())
    socket.on('error', () => {})
    socket.on('close', () => resolve(status))
    socket.write(request)
  })
}

function composeRequest(plan: AttackPlan, { method, path, body }: Attack, key: string): Buffer {
  const text = body?.(plan) ?? ''
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
