import { readCredentialsFile } from '../platform/config/credentials.ts'

/**
 * Returns whether a vendor has a real credential: in its variable, `VENDOR_A_API_KEY`, or in the file of credentials.
 * Throws an Error if the file is invalid.
 */
export function openRealVendors(env: NodeJS.ProcessEnv): (label: string) => boolean {
  const file = env.VENDOR_CREDENTIALS_FILE
  const pools = file ? readCredentialsFile(file) : undefined
  return label => Boolean(env[`${label.toUpperCase()}_API_KEY`]) || pools?.has(label) === true
}
