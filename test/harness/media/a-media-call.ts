import { compileParameters, openValidator } from '../../../domain/models/compile-parameters.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/config/read-config.ts'
import type { MediaEntry } from '../../../schema/catalog/entry.ts'
import type { MediaCall } from '../../../upstreams/media-adapter.ts'
import { openPlatformCredentials } from '../../../upstreams/platform-credentials.ts'
import type { Target } from '../../../upstreams/targets.ts'
import { theCatalogue } from '../the-catalogue.ts'

const catalogue = await theCatalogue()
const validator = openValidator({ allowLoopback: true })

/** A media model of the catalogue, by the id that clients ask for. */
export function aMediaEntry(model: string): MediaEntry {
  const entry = catalogue.models.find(known => known.model === model)
  if (!entry || entry.modality === 'chat') throw new Error(`no media model ${model}`)
  return entry
}

/** A generation on its way to the vendor of its model, its parameters checked and completed as a route does. */
export function aMediaCall(model: string, parameters: Record<string, unknown> = {}): MediaCall {
  const entry = aMediaEntry(model)
  const prompt = entry.parameters.properties.input ? { input: 'Hello there' } : { prompt: 'A lighthouse' }
  const check = compileParameters({ validator }, entry)
  return { entry, parameters: check({ ...prompt, ...parameters }), cacheToken: 'rb-cache-token' }
}

/** The platform's credential for a media model, from the settings. */
export function aMediaTarget(config: Config, { entry }: MediaCall): Target {
  const vendor = catalogue.vendors.find(({ label }) => label === entry.provider)
  const credentials = openPlatformCredentials(config, { clock: systemClock, breakerWaitMs: () => 0 })
  const [target] = credentials.targets({ entry, vendor })
  if (!target) throw new Error(`no credential for ${entry.provider}`)
  return target
}
