import { againstChat, longPrompts } from './against-chat.ts'
import { againstFloor, images } from './against-floor.ts'
import { deliveries } from './deliveries.ts'
import { graph } from './graph.ts'
import { growth } from './growth.ts'
import { logs } from './logs.ts'
import { metrics } from './metrics.ts'
import { neighbours } from './neighbour.ts'
import { openStreams } from './open-streams.ts'
import { overload } from './overload.ts'
import { processes } from './processes.ts'
import type { Scenario } from './scenario.ts'
import { tasks } from './tasks.ts'
import { watch } from './watch.ts'
import { withSettings } from './with-settings.ts'

/** All scenarios in the order in which they run. */
export const scenarios: readonly Scenario[] = [
  ...againstFloor,
  ...againstChat,
  longPrompts,
  metrics,
  ...images,
  ...openStreams,
  ...overload,
  ...neighbours,
  processes,
  growth,
  ...withSettings,
  tasks,
  ...deliveries,
  graph,
  watch,
  ...logs,
]

/**
 * Returns the scenarios whose name starts with one of the prefixes, or all that are not optional without a prefix. Throws if
 * no scenario starts with a prefix.
 */
export function chooseScenarios(prefixes: readonly string[]): Scenario[] {
  for (const prefix of prefixes)
    if (!scenarios.some(({ name }) => name.startsWith(prefix)))
      throw new Error(`no scenario starts with ${prefix}: see --list`)
  if (prefixes.length === 0) return scenarios.filter(({ isOptional }) => !isOptional)
  return scenarios.filter(({ name }) => prefixes.some(prefix => name.startsWith(prefix)))
}
