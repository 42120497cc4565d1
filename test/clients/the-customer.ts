import { beforeEach } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { type EdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'
import { perFile } from '../harness/per-file.ts'

/** Starts an edge and a client of it for a test file. The simulator is reset before each test. */
export function theCustomer(): { system: EdgeSystem; client: TestClient } {
  const system = theEdgeSystem()
  beforeEach(() => system.simulator.reset())
  return { system, client: perFile(() => aClient(system)) }
}
