import type { Vendor } from '../../schema/catalog/vendor.ts'

/** Where the simulator speaks the wire format of an adapter. */
const simulatorPaths: Partial<Record<Vendor['adapter'], string>> = {
  'openai-chat': '/openai/v1',
  'anthropic-messages': '/anthropic',
  gemini: '/gemini',
}

/** The one credential that the simulator takes from a platform. */
const simulatorKey = 'sim-platform-key'

/** A vendor by how it is reached from this machine. */
export interface VendorRoute {
  label: string
  /** `simulated`, `real` where the environment brings its credential, `none` where nothing can reach it. */
  kind: 'simulated' | 'real' | 'none'
  environment: Record<string, string>
}

/** Leads every vendor that has no credential in the environment to the simulator, where that speaks its format. */
export function routeVendors(
  vendors: readonly Vendor[],
  options: { env: NodeJS.ProcessEnv; simulatorUrl: string },
): VendorRoute[] {
  return vendors.map(({ label, adapter }) => {
    const name = label.toUpperCase()
    if (options.env[`${name}_API_KEY`]) return { label, kind: 'real', environment: {} }
    const path = simulatorPaths[adapter]
    if (!path) return { label, kind: 'none', environment: {} }
    const environment = {
      [`${name}_API_KEY`]: simulatorKey,
      [`${name}_BASE_URL`]: `${options.simulatorUrl}${path}`,
    }
    return { label, kind: 'simulated', environment }
  })
}
