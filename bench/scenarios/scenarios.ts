import { againstFloor } from './against-floor.ts'
import { deliveries } from './deliveries.ts'
import { graph } from './graph.ts'
import { growth } from './growth.ts'
import { images } from './images.ts'
import { neighbour } from './neighbour.ts'
import { openStreams } from './open-streams.ts'
import { overload } from './overload.ts'
import { responses } from './responses.ts'
import type { Scenario } from './scenario.ts'
import { tasks } from './tasks.ts'
import { vendorB } from './vendor-b.ts'
import { vendorC } from './vendor-c.ts'

/** All of them, in the order in which they run. A new one is a file here and a word in this list. */
export const scenarios: readonly Scenario[] = [
  ...againstFloor,
  ...vendorB,
  ...vendorC,
  ...responses,
  ...images,
  ...openStreams,
  ...overload,
  ...neighbour,
  ...growth,
  ...tasks,
  ...deliveries,
  ...graph,
]

/** Those whose name begins with one of the words; all without any. Throws for a word that names none. */
export function chooseScenarios(words: readonly string[]): Scenario[] {
  for (const word of words) {
    if (!scenarios.some(({ name }) => name.startsWith(word)))
      throw new Error(`no scenario ${word}: there are ${scenarios.map(({ name }) => name).join(', ')}`)
  }
  return scenarios.filter(({ name }) => words.length === 0 || words.some(word => name.startsWith(word)))
}
