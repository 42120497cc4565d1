import { beforeAll, beforeEach } from 'vitest'
import { aClient, type TestClient } from '../harness/a-client.ts'
import { type EdgeHouse, theEdgeHouse } from '../harness/an-edge.ts'

/** One customer of a house for all tests of a file, between which the simulator forgets. */
export function theCustomer(): { house(): EdgeHouse; client(): TestClient } {
  const house = theEdgeHouse()
  let client: TestClient
  beforeAll(async () => {
    client = await aClient(house())
  })
  beforeEach(() => house().simulator.reset())
  return { house, client: () => client }
}
