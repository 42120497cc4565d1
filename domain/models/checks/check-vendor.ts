import type { VendorDeclaration } from '../../../schema/catalog/vendor.ts'
import type { Report } from './report.ts'

/** Headers that requests have anyway, so that none of them can carry a key. */
const ownHeaders: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'expect', 'host'],
  ...['keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent'],
])

/** Checks that the key's header and the quirks of a vendor agree with its wire format. */
export function checkVendor({ adapter, key, quirks }: VendorDeclaration, report: Report): void {
  if (key && !adapter.startsWith('openai-')) {
    report(['key'], `the format ${adapter} has its own header: only OpenAI's formats allow another`)
  }
  if (key && ownHeaders.has(key.header.toLowerCase())) {
    report(['key', 'header'], `${key.header} cannot carry a key`)
  }
  if (quirks && adapter !== 'openai-chat') {
    report(['quirks'], `concern the format openai-chat, not ${adapter}`)
  }
}
