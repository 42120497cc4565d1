import type { ChildProcess } from 'node:child_process'
import { afterEach } from 'vitest'
import { freePort } from '../../dev/services/ports.ts'
import { simulatedVendor } from '../../dev/simulator-paths.ts'
import { applyCatalogue } from '../../domain/models/apply-catalogue.ts'
import type { Catalogue } from '../../domain/models/read-catalogue.ts'
import { type ControlOptions, type RunningControl, startControl } from '../../gateway/start-control.ts'
import type { EdgeLimits } from '../../inference-edge/edge-limits.ts'
import { type RunningEdge, startEdge } from '../../inference-edge/start-edge.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { type RunningSimulator, startSimulator } from '../../simulators/vendors/start-simulator.ts'
import { aSystem, type TestSystem, untilRedisAnswers } from './a-context.ts'
import { aPerson, aRestCaller, type Person, type RestCaller } from './a-rest-caller.ts'
import { expectLedgerToBalance } from './invariants.ts'
import { requireBalancedBooks } from './ledger-faults.ts'
import { perFile } from './per-file.ts'
import { theCatalogue } from './the-catalogue.ts'

export interface EdgeSystem extends TestSystem {
  simulator: RunningSimulator
  edge: RunningEdge
  /** What OpenAI-style clients take as their base address. */
  baseURL: string
  /** Processes on this system. Processes that a failed test left running are killed when the system closes. */
  children: Set<ChildProcess>
}

/** An edge over the simulator, on a database with the catalogue applied, as `changeCatalogue` leaves it. */
export async function anEdgeSystem(
  env: Record<string, string> = {},
  {
    openSystem = aSystem,
    changeCatalogue = () => {},
    limits,
  }: {
    openSystem?: typeof aSystem
    changeCatalogue?: (catalogue: Catalogue) => void
    limits?: Partial<EdgeLimits>
  } = {},
): Promise<EdgeSystem> {
  const simulator = await startSimulator()
  const catalogue = await theCatalogue()
  changeCatalogue(catalogue)
  const system = await openSystem({
    ...simulatedVendors(catalogue.vendors, simulator.url),
    SHUTDOWN_GRACE_MS: '2000',
    ...env,
  })
  await applyCatalogue(system.context, catalogue)
  const edge = await startEdge(system.config, limits)
  await untilRedisAnswers(system.config, edge.url)
  const children = new Set<ChildProcess>()
  return {
    ...system,
    simulator,
    edge,
    baseURL: `${edge.url}/v1`,
    children,
    async close() {
      for (const child of children) child.kill('SIGKILL')
      await edge.close()
      await simulator.close()
      const books = await requireBalancedBooks(system.database.sql).then(() => undefined, String)
      await system.close()
      if (books) throw new Error(books)
    },
  }
}

/** An edge that forwards management calls to a control plane. */
export interface FrontedSystem extends EdgeSystem {
  /** A test may close it. */
  control: RunningControl
  /** Calls the management API through the edge. */
  rest: RestCaller
  /** Signs up a new person. */
  aPerson(): Promise<Person>
}

export async function anEdgeBeforeControl(
  env: Record<string, string> = {},
  options: ControlOptions = {},
): Promise<FrontedSystem> {
  const port = await freePort()
  const system = await anEdgeSystem({
    CONTROL_PORT: String(port),
    CONTROL_URL: `http://127.0.0.1:${port}`,
    ...env,
  })
  const running = await startControl(system.config, options)
  const rest = aRestCaller(system.edge.url)
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= running.close()
    return closed
  }
  return {
    ...system,
    control: { ...running, close },
    rest,
    aPerson: () => aPerson(rest),
    async close() {
      await close()
      await system.close()
    },
  }
}

/** Starts the edge system of a test file. After each test the ledger must balance. */
export function theEdgeSystem(
  env: Record<string, string> = {},
  limits: Partial<EdgeLimits> = {},
): EdgeSystem {
  const system = perFile(() => anEdgeSystem(env, { limits }))
  afterEach(() => expectLedgerToBalance(system.context.sql))
  return system
}

/** Vendors that tests reach only where they say so: they show what happens without a credential. */
const unreached = ['vendor_d', 'vendor_e', 'vendor_r']

/** The environment in which the platform's vendors are the simulator. */
export function simulatedVendors(vendors: readonly Vendor[], simulatorUrl: string): Record<string, string> {
  const reached = vendors.filter(({ label }) => !unreached.includes(label))
  return Object.assign({}, ...reached.map(vendor => simulatedVendor(vendor, simulatorUrl)))
}
