import { expect, test } from 'vitest'
import { systemIds } from '../../platform/ids.ts'
import { aDatabaseForThisTest } from '../../test/harness/a-database.ts'
import { aSettledRequest } from '../../test/harness/ledger/a-settled-request.ts'
import { scansOf } from '../../test/harness/postgres/scans-of.ts'
import { findRequest } from './request-log.ts'

const [accountId, keyId] = [systemIds.uuid(), systemIds.uuid()]

test('a request is found with its figures and the terms of its cost', async () => {
  const { sql } = await aDatabaseForThisTest()
  const terms = [{ label: 'input', quantity: 12, unit: 'token', rate: '0.0000025', amount: '0.00003' }]
  const { id, createdAt } = await aSettledRequest(sql, {
    accountId,
    keyId,
    costNanos: 30_000n,
    columns: {
      prompt_tokens: 12,
      completion_tokens: 3,
      cost_terms: 'input:12:token:2500000000000',
      first_byte_ms: 7,
      end_user: 'u1',
    },
  })

  const request = await findRequest({ sql }, { accountId, requestId: id })

  expect(request).toMatchObject({
    id,
    createdAt,
    apiKeyId: keyId,
    status: 200,
    promptTokens: 12,
    completionTokens: 3,
    costNanos: 30_000n,
    costTerms: terms,
    firstByteMs: 7,
    endUser: 'u1',
    answeredBy: null,
  })
})

test('one that is unknown, of another account, or no id of ours is not found', async () => {
  const { sql } = await aDatabaseForThisTest()
  const { id } = await aSettledRequest(sql, { accountId, keyId })
  expect(await findRequest({ sql }, { accountId: systemIds.uuid(), requestId: id })).toBeUndefined()
  expect(await findRequest({ sql }, { accountId, requestId: systemIds.tagged('req_') })).toBeUndefined()
  expect(await findRequest({ sql }, { accountId, requestId: "req_' or true --" })).toBeUndefined()
  expect(await findRequest({ sql }, { accountId, requestId: 'x'.repeat(10_000) })).toBeUndefined()
})

test('only the partition of its day is read', async () => {
  const database = await aDatabaseForThisTest()
  const { id } = await aSettledRequest(database.sql, { accountId, keyId, createdAt: atNoonToday() })

  const scanned = await scansOf(database, sql => findRequest({ sql }, { accountId, requestId: id }))

  expect(scanned.filter(name => name !== 'request_logs_default')).toEqual([partitionOf(atNoonToday())])
})

function atNoonToday(): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), 12))
}

function partitionOf(day: Date): string {
  return `request_logs_${day.toISOString().slice(0, 10).replaceAll('-', '')}`
}
