import Koa from 'koa'
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../platform/http/listen.ts'
import { openServer } from '../../platform/http/open-server.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import type { RequestState } from '../edge.ts'
import { edgeLimits } from '../edge-limits.ts'
import { openLoad } from '../server/shed-load.ts'
import { openAccounts, RequestShare } from './request-share.ts'
import { sendLongAnswer } from './send-long-answer.ts'

test('an answer is long by its bytes, and counts in the memory of its account until it is read', async () => {
  const { context, close } = await aSystem()
  const [accounts, load] = [openAccounts(context), openLoad()]
  const standing = { accountId: 'reader', isPaying: true, ownAllowances: new Map<string, number>() }
  const counted: number[] = []
  const app = new Koa<RequestState>()
  app.use(async ctx => {
    const share = new RequestShare(accounts, standing)
    ctx.state.share = share
    const sending = sendLongAnswer({ limits: edgeLimits, load }, ctx, '\u4e2d'.repeat(60_000))
    counted.push(accounts.memory.of('reader'))
    await sending
    share[Symbol.dispose]()
    counted.push(accounts.memory.of('reader'))
  })
  const answer = app.callback()
  const server = await listen(
    openServer((request, response) => void answer(request, response)),
    { host: '127.0.0.1', port: 0 },
  )
  onTestFinished(async () => {
    await server.drain(0)
    load.close()
    await close()
  })
  const text = await fetch(server.url).then(response => response.text())
  expect(text).toHaveLength(60_000)
  await expect.poll(() => counted).toEqual([180_000, 0])
})
