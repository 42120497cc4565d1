import { expect, onTestFinished, test } from 'vitest'
import type { Standing } from '../../domain/allowances/allowances.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { openAccounts, RequestShare } from './request-share.ts'

test('work that outlives its request counts nothing, and a second release releases nothing', async () => {
  const { context, close } = await aSystem()
  onTestFinished(close)
  const accounts = openAccounts(context)
  const standing: Standing = { accountId: 'sender', isPaying: false, ownAllowances: new Map() }
  const [ended, running] = [new RequestShare(accounts, standing), new RequestShare(accounts, standing)]
  running.takeBytes(10)
  ended.takeBytes(100)
  ended.addBytes(200)
  ended[Symbol.dispose]()
  ended.takeBytes(1)
  ended.addBytes(2)
  ended[Symbol.dispose]()
  expect([accounts.requests.of('sender'), accounts.memory.of('sender')]).toEqual([1, 10])
  running[Symbol.dispose]()
  expect([accounts.requests.of('sender'), accounts.memory.of('sender')]).toEqual([0, 0])
})
