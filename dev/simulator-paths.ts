import type { Vendor } from '../schema/catalog/vendor.ts'

/** The simulator's path for the wire format of each adapter. Queues have several. */
const pathOfAdapter: Partial<Record<Vendor['adapter'], string>> = {
  'openai-chat': '/openai/v1',
  'openai-images': '/openai/v1',
  'openai-videos': '/openai/v1',
  'openai-speech': '/openai/v1',
  'anthropic-messages': '/anthropic',
  gemini: '/gemini',
  'google-operations': '/gemini',
}

/** The simulator's path for the queue of each vendor in the demo catalogue. */
const pathOfQueue: Readonly<Record<string, string>> = {
  vendor_f: '/queue',
  vendor_h: '/predictions/v1',
  vendor_i: '/queue',
  vendor_k: '/predictions/v1',
  vendor_l: '/tasks/v1',
  vendor_o: '/queue',
  vendor_p: '/predictions/v1',
}

/** Returns the simulator's path for a vendor, or undefined if it does not speak the vendor's format. */
function simulatorPathOf({ label, adapter }: Pick<Vendor, 'label' | 'adapter'>): string | undefined {
  return adapter === 'queue' ? pathOfQueue[label] : pathOfAdapter[adapter]
}

/** The only platform credential that the simulator accepts. */
const simulatorKey = 'sim-platform-key'

/** Returns the environment that replaces a vendor by the simulator, or undefined if it does not speak the vendor's format. */
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
