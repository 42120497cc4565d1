import { resolve } from 'node:path'
import { catalogueFolder } from '../domain/models/catalogue-folder.ts'
import { dayOf } from '../domain/pricing/price-periods.ts'
import type { Config } from '../platform/config/read-config.ts'
import { matchesPattern } from '../platform/patterns.ts'
import type { Given } from '../platform/process/parse-args.ts'
import { runMain } from '../platform/process/run-main.ts'
import type { Vendor } from '../schema/catalog/vendor.ts'
import { type Finding, type ImportOptions, importModels } from './catalogue-import/import-models.ts'
import { chooseModelList, choosePriceList } from './catalogue-import/lists/choose-list.ts'
import type { ModelList } from './catalogue-import/lists/lists.ts'
import { readSource } from './catalogue-import/lists/read-source.ts'
import { openCatalogue } from './catalogue-import/open-catalogue.ts'

const help = `
Imports models with their limits and prices into the files of a catalogue: chat and embedding models from the api.json of
models.dev; image, video, speech and embedding models from LiteLLM's map of prices. Review the change, then put it into
effect with npm run catalog:apply. docs/models.md explains each step.

  npm run catalog:import -- --from FILE|URL [options]

  --from FILE|URL      the list, such as https://models.dev/api.json
  --provider NAME      the vendor's name in the list, such as anthropic
  --as LABEL           the vendor's label here, such as vendor_b. Without --provider and --as, every vendor of the list is
                       imported whose name is an alias in vendors.yaml
  --only PATTERN       imports only models whose ID in the list matches, such as 'gpt-5*'; several separated by commas
  --margin PERCENT     a percentage that is added to the prices, such as 10%. An entry keeps its margin until you
                       give another one
  --compare FILE|URL   a second list, LiteLLM's or genai-prices'. A model whose prices differ in it is not written. Can
                       be repeated
  --accept ID          writes this entry despite a concern: a price that moves by more than a third, a limit that
                       shrinks, a new model without a price, or a model that the list no longer has or whose new
                       figures the catalogue would refuse, which is then deactivated. Can be repeated
  --commit ID          the commit of the list, for the entries' source; by default a digest of the file
  --date YYYY-MM-DD    the date of the list; by default today
  --to FOLDER          the catalogue's folder; by default the one that CATALOG names, or else schema/real-catalog
  --check              writes nothing, and prints only the differences

Entries that an operator has written or changed stay as they are. Exits with 0 if nothing is left to do, and with 1 if it
fails. Exits with 2 if models need a decision, and, with --check, if anything differs. It needs no database.
`

/** The word of each outcome at the start of a line. */
const words: Record<Finding['outcome'], string> = {
  added: 'added',
  changed: 'changed',
  deactivated: 'deactivated',
  kept: 'kept as an operator wrote it',
  held: 'not written, needs --accept',
  disagreeing: 'not written, the lists disagree',
  unusable: 'left out',
  note: 'note',
}

await runMain({
  name: 'catalog:import',
  help,
  options: {
    from: { type: 'string' },
    provider: { type: 'string' },
    as: { type: 'string' },
    only: { type: 'string' },
    margin: { type: 'string' },
    compare: { type: 'string', multiple: true },
    accept: { type: 'string', multiple: true },
    commit: { type: 'string' },
    date: { type: 'string' },
    to: { type: 'string' },
    check: { type: 'boolean' },
  },
  start: importCatalogue,
})

async function importCatalogue(config: Config, given: Given): Promise<undefined> {
  const options = readOptions(config, given)
  const [source, ...compared] = await Promise.all([options.from, ...options.compared].map(readSource))
  const list = chooseModelList(source?.json, options.from)
  const comparedLists = compared.map(({ json }, index) =>
    choosePriceList(json, options.compared[index] ?? ''),
  )
  const catalogue = await openCatalogue(options.folder)
  const vendors = chooseVendors(catalogue.vendors, { ...options, list })
  const commit = options.commit ?? `sha256:${source?.digest}`
  const findings = vendors.flatMap(({ provider, vendor }) =>
    importModels(catalogue, {
      ...options,
      list,
      provider,
      vendor,
      comparedLists,
      source: { commit, date: options.date },
    }),
  )
  refuseUnasked(options.accepted, findings)
  if (!options.isCheck) await catalogue.files.save()
  report(findings, options)
}

type Options = Pick<ImportOptions, 'isWanted' | 'margin' | 'accepted'> & {
  from: string
  provider: string | undefined
  label: string | undefined
  compared: string[]
  commit: string | undefined
  date: string
  folder: string
  isCheck: boolean
}

function readOptions(config: Config, { options, lists }: Given): Options {
  const text = (name: string) => (options[name] === undefined ? undefined : String(options[name]))
  const from = text('from')
  if (!from) throw new Error('--from FILE|URL is missing: see --help')
  const [provider, label] = [text('provider'), text('as')]
  if ((provider === undefined) !== (label === undefined))
    throw new Error('--provider and --as go together: see --help')
  const date = text('date') ?? new Date().toISOString().slice(0, 10)
  if (Number.isNaN(dayOf(date))) throw new Error('--date must be a day like 2026-07-02')
  const [, margin] = /^(\d{1,4}(?:\.\d{1,3})?) ?%?$/.exec(text('margin') ?? '') ?? []
  if (text('margin') !== undefined && margin === undefined) throw new Error('--margin must be like 10%')
  return {
    from,
    provider,
    label,
    isWanted: matcherOf(text('only') ?? '*'),
    margin,
    compared: lists.compare ?? [],
    accepted: new Set(lists.accept),
    commit: text('commit'),
    date,
    folder: resolve(text('to') ?? catalogueFolder({ ...config, catalogue: config.catalogue || 'real' })),
    isCheck: options.check === true,
  }
}

/** Returns a function that matches IDs with patterns separated by commas, in which `*` matches any text. */
function matcherOf(patterns: string): (id: string) => boolean {
  const trimmed = patterns.split(',').map(pattern => pattern.trim())
  return id => trimmed.some(pattern => matchesPattern(pattern, id))
}

/** Returns the vendors to import: the given one, or those whose alias is a vendor of the list. */
function chooseVendors(
  vendors: readonly Vendor[],
  { provider, label, list }: Pick<Options, 'provider' | 'label'> & { list: ModelList },
): { provider: string; vendor: Vendor }[] {
  if (provider !== undefined) {
    const vendor = vendors.find(candidate => candidate.label === label)
    if (!vendor) throw new Error(`--as ${label} is not one of the labels vendor_a to vendor_r`)
    if (!list.providers.has(provider)) throw new Error(`${list.name} has no vendor ${provider}`)
    return [{ provider, vendor }]
  }
  const named = vendors.flatMap(vendor =>
    (vendor.aliases ?? [])
      .filter(alias => list.providers.has(alias))
      .map(alias => ({ provider: alias, vendor })),
  )
  if (named.length === 0)
    throw new Error('no alias in vendors.yaml is a vendor of the list: give --provider and --as')
  return named
}

/** Refuses an `--accept` that no finding asks for: probably a mistyped ID. */
function refuseUnasked(accepted: ReadonlySet<string>, findings: readonly Finding[]): void {
  const changed = new Set(findings.filter(({ outcome }) => isWritten(outcome)).map(({ id }) => id))
  const unasked = [...accepted].find(id => !changed.has(id))
  if (unasked !== undefined) throw new Error(`--accept ${unasked}: the import would not change this entry`)
}

function isWritten(outcome: Finding['outcome']): boolean {
  return outcome === 'added' || outcome === 'changed' || outcome === 'deactivated'
}

function report(findings: readonly Finding[], { isCheck, folder }: Options): void {
  const printed = isCheck
    ? findings.filter(({ outcome }) => outcome !== 'unusable' && outcome !== 'note')
    : findings
  process.stdout.on('error', () => process.exit()) // its reader has ended, such as `head`
  for (const { outcome, id, text } of printed)
    process.stdout.write(`${words[outcome]}: ${printable(id)}: ${printable(text)}\n`)
  const written = findings.filter(({ outcome }) => isWritten(outcome)).length
  if (!isCheck) process.stdout.write(`${written} models written to ${folder}\n`)
  const isLeft = findings.some(({ outcome }) => outcome === 'held' || outcome === 'disagreeing')
  if (isLeft || (isCheck && written > 0)) process.exitCode = 2
}

/** Returns a text of a list without control characters, which could print other lines or colours. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}
