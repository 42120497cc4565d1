import type { Setting } from '../../platform/config/settings/setting.ts'
import { settings } from '../../platform/config/settings.ts'

const list: Setting<unknown>[] = Object.values(settings)

const vendorLines = [
  ['VENDOR_A_API_KEY', "the platform's credential of vendor_a; likewise for VENDOR_B to VENDOR_R"],
  [
    'VENDOR_A_BASE_URL',
    'its address, where it is not the one in `schema/catalog/vendors.yaml`; likewise for the others',
  ],
] as const

/** `.env.example`: every setting, commented out, at its default. */
export function envExample(): string {
  const known = list.map(
    setting => `# ${plain(setting.doc)}${mark(setting)}\n# ${setting.env}=${setting.default}`,
  )
  const vendors = vendorLines.map(([name, doc]) => `# ${plain(doc)}\n# ${name}=`)
  return `${[preface, ...known, ...vendors].join('\n\n')}\n`
}

/** The README's table of settings. */
export function settingsTable(): string {
  const rows = list.map(setting => row(setting.env, setting.default, `${setting.doc}${mark(setting)}`))
  const vendors = vendorLines.map(([name, doc]) => row(name, '', doc))
  return ['| variable | default | what it does |', '|---|---|---|', ...rows, ...vendors].join('\n')
}

const preface = `# Every setting of Rubicon at its default. Copy to .env and change what differs: npm scripts read that file.
# Generated from platform/config/settings.ts by \`npm run env:example\`.`

function mark(setting: Setting<unknown>): string {
  return setting.secret ? '; must be set in production' : ''
}

function row(name: string, fallback: string, doc: string): string {
  return `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${doc.replaceAll('|', '\\|')} |`
}

function plain(doc: string): string {
  return doc.replaceAll('`', '')
}
