import { expect, onTestFinished, test } from 'vitest'
import type { Standing } from '../../domain/allowances/allowances.ts'
import { aSystem } from '../../test/harness/a-context.ts'
import { AccountShare, openAccounts } from './request-share.ts'

test('work that outlives its request counts nothing, and a second release releases nothing', async () => {
  const { context, close } = await aSystem()
  onTestFinished(close)
  const accounts = openAccounts(context)
  const standing: Standing = { accountId: 'sender', isPaying: false, ownAllowances: new Map() }
  const [ended, running] = [new AccountShare(accounts, standing), new AccountShare(accounts, standing)]
  running.takeBytes(10)
  ended.takeBytes(100)
  ended.addBytes(200)
  ended.release()
  ended.takeBytes(1)
  ended.addBytes(2)
  ended.release()
  expect([accounts.requests.of('sender'), accounts.memory.of('sender')]).toEqual([1, 10])
  running.release()
  expect([accounts.requests.of('sender'), accounts.memory.of('sender')]).toEqual([0, 0])
})
