import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, onTestFinished, test, vi } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { signDelivery } from '../../domain/callbacks/sign-delivery.ts'
import { openPoster } from '../../worker/callbacks/post-callback.ts'

const checkout = new URL('../..', import.meta.url).pathname
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

test('the receiver on the page of callbacks takes what is signed, once, and nothing else', async () => {
  const page = readFileSync(`${checkout}docs/callbacks.md`, 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const file = `${checkout}test/receiver-of-the-page.mjs` // where its import is found
  writeFileSync(file, code)
  const port = await freePort()
  const receiver = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, PORT: String(port), CALLBACK_SECRET: secret },
  })
  let printed = ''
  receiver.stdout.on('data', part => {
    printed += part
  })
  const poster = openPoster({ allowLoopback: true })
  onTestFinished(async () => {
    const exited = once(receiver, 'exit')
    receiver.kill('SIGKILL')
    await exited
    rmSync(file)
    await poster.close()
  })
  const body = '{"id":"task_1","status":"success"}'
  const post = async (secrets: string[], id: string) => {
    const headers = signDelivery({ id, body }, { secrets, nowMs: Date.now() })
    return (await poster.post({ url: `http://127.0.0.1:${port}/`, headers, body })).status
  }
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  await vi.waitFor(async () => expect(await post([secret], 'msg_1')).toBe(204), { timeout: 10_000 })
  expect(await post([other, secret], 'msg_1')).toBe(204) // rotating, and sent again
  expect(await post([other], 'msg_2')).toBe(400)
  expect(printed).toBe("{ id: 'task_1', status: 'success' }\n")
})
