import { expect, test, vi } from 'vitest'
import { mintOperatorKey } from '../../domain/callers/operators.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import { systemIds } from '../../platform/ids.ts'
import type { CallOutcome } from '../../schema/vendor-reports.ts'
import { openVendorReport } from '../../upstreams/report-vendors.ts'
import { aControlPlane } from '../harness/a-control-plane.ts'
import { perFile } from '../harness/per-file.ts'
import { theCatalogue } from '../harness/the-catalogue.ts'

const operator = mintOperatorKey(systemIds)

const control = perFile(() =>
  aControlPlane({ OPERATOR_KEYS: `ada=${operator.digest}`, VENDOR_A_API_KEY: 'sk-secret-of-vendor-a' }),
)

/** A process that calls vendors: its calls since it started, and its breakers. */
function aProcess() {
  const { redis, clock, config } = control.context
  const calls = new Map<CallOutcome, number>()
  let open: string[] = []
  const report = openVendorReport({
    ...{ redis, clock, prefix: config.redisPrefix },
    metrics: {
      totals: () =>
        Array.from(calls, ([outcome, value]) => ({
          ...{ vendor: 'vendor_a', credential: 'default', outcome, value },
        })),
    },
    breakers: {
      states: () => [
        { credential: 'vendor_a platform default', isShared: true, isOpen: open.includes('shared') },
        ...open
          .filter(name => name !== 'shared')
          .map(name => ({ credential: `vendor_a platform default ${name}`, isShared: false, isOpen: true })),
      ],
    },
  })
  return {
    call: (outcome: CallOutcome, count: number) => calls.set(outcome, (calls.get(outcome) ?? 0) + count),
    open: (...names: string[]) => {
      open = names
    },
    report,
  }
}

async function health() {
  const { data, errors } = await control.graph(
    `{ vendorHealth { processes minutes vendors { vendor activeModels ownCalls { answered broken }
      credentials { name weight breaker openProcesses openAccounts calls { answered broken } } } } }`,
    { token: operator.key },
  )
  expect(errors).toBeUndefined()
  const [vendor] = data.vendorHealth.vendors.filter((one: { vendor: string }) => one.vendor === 'VENDOR_A')
  return { ...data.vendorHealth, vendors: undefined, text: JSON.stringify(data), vendor }
}

test('operators see the calls and breakers of all processes by credential, and no secret', async () => {
  await applyCatalogue(control.context, await theCatalogue())
  const silent = await health()
  expect([silent.processes, silent.vendor.credentials]).toEqual([
    0,
    [
      {
        name: 'default',
        weight: 1,
        breaker: null,
        openProcesses: 0,
        openAccounts: 0,
        calls: { answered: 0, broken: 0 },
      },
    ],
  ])
  expect(silent.vendor.activeModels).toBeGreaterThan(0)
  expect(silent.text).not.toContain('secret')

  const [one, other] = [aProcess(), aProcess()]
  one.call('answered', 5)
  other.call('answered', 2)
  other.call('broken', 3)
  other.open('shared', 'account-1', 'account-2')
  await Promise.all([one.report(), other.report()])
  await one.report() // reports nothing twice
  const [credential] = (await health()).vendor.credentials
  expect(credential).toMatchObject({
    ...{ breaker: 'OPEN', openProcesses: 1, openAccounts: 2 },
    calls: { answered: 7, broken: 3 },
  })

  other.open()
  await other.report()
  const after = await health()
  expect([after.processes, after.vendor.credentials[0].breaker]).toEqual([2, 'CLOSED'])
})

test('a report that cannot be sent does not throw, and the next one has its calls', async () => {
  const { call, report } = aProcess()
  const { redis } = control.context
  const answered = async () => (await health()).vendor.credentials[0].calls.answered
  const before = await answered()
  call('answered', 3)
  const { pipeline } = redis
  const spy = vi.spyOn(redis, 'pipeline').mockImplementationOnce(() => {
    const commands = pipeline.call(redis)
    commands.exec = () => {
      throw new TypeError('a node has no stream') // as ioredis does if a node of a cluster has just failed
    }
    return commands
  })
  await report()
  spy.mockRestore()
  await report()
  expect(await answered()).toBe(before + 3)
})
