import { limits } from './settings/limits.ts'
import { places } from './settings/places.ts'
import { trust } from './settings/trust.ts'

/**
 * Every setting: environment variable, doc, default, parser. `.env.example` and docs/settings.md are
 * generated from this list, and `readConfig` reads it at start: nothing else looks at the environment.
 */
export const settings = { ...places, ...trust, ...limits }
