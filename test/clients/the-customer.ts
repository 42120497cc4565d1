import { beforeAll, beforeEach } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { type EdgeSystem, theEdgeSystem } from '../harness/an-edge.ts'

/** One customer of a system for all tests of a file, between which the simulator forgets. */
export function theCustomer(): { system(): EdgeSystem; client(): TestClient } {
  const system = theEdgeSystem()
  let client: TestClient
  beforeAll(async () => {
    client = await aClient(system())
  })
  beforeEach(() => system().simulator.reset())
  return { system, client: () => client }
}
