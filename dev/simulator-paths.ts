import type { Vendor } from '../schema/catalog/vendor.ts'

/** Where the simulator speaks the wire format of an adapter; of queues there are several. */
const pathOfAdapter: Partial<Record<Vendor['adapter'], string>> = {
  'openai-chat': '/openai/v1',
  'openai-images': '/openai/v1',
  'openai-videos': '/openai/v1',
  'openai-speech': '/openai/v1',
  'anthropic-messages': '/anthropic',
  gemini: '/gemini',
  'google-operations': '/gemini',
}

/** Where it has the queues of the vendors of the catalogue that ships. */
const pathOfQueue: Readonly<Record<string, string>> = {
  vendor_f: '/queue',
  vendor_h: '/predictions/v1',
  vendor_i: '/queue',
  vendor_k: '/predictions/v1',
  vendor_l: '/tasks/v1',
  vendor_o: '/queue',
  vendor_p: '/predictions/v1',
}

/** The path of the simulator that stands in for a vendor; undefined where it does not speak its format. */
function simulatorPathOf({ label, adapter }: Pick<Vendor, 'label' | 'adapter'>): string | undefined {
  return adapter === 'queue' ? pathOfQueue[label] : pathOfAdapter[adapter]
}

/** The one credential that the simulator takes from a platform. */
const simulatorKey = 'sim-platform-key'

/** The environment in which a vendor is the simulator; undefined where that does not speak its format. */
export function simulatedVendor(
  vendor: Pick<Vendor, 'label' | 'adapter'>,
  simulatorUrl: string,
): Record<string, string> | undefined {
  const path = simulatorPathOf(vendor)
  const name = vendor.label.toUpperCase()
  return path === undefined
    ? undefined
    : { [`${name}_API_KEY`]: simulatorKey, [`${name}_BASE_URL`]: `${simulatorUrl}${path}` }
}
