import type { PlatformCredential } from '../../platform/config/credentials.ts'
import type { Config } from '../../platform/config/read-config.ts'
import { likePattern } from '../../platform/patterns.ts'
import type { Sql } from '../../platform/postgres/open-postgres.ts'
import type { CatalogueEntry } from '../../schema/catalog/entry.ts'
import type { Vendor } from '../../schema/catalog/vendor.ts'
import { vendorAddress } from '../../schema/catalog/vendor-address.ts'
import { routeEntries } from './model-routes.ts'

/** The account that looks at models, and the vendors that the platform's credentials reach. */
export interface Viewer {
  accountId: string
  vendors: Config['vendors']
}

/**
 * Returns a viewer who sees only models that a credential reaches; undefined for an operator, who sees all. A process
 * without any credential of a vendor does not know which ones the edges have, so it shows all too.
 */
export function viewerOf(context: {
  config: Pick<Config, 'vendors'>
  caller?: { accountId: string } | undefined
}): Viewer | undefined {
  const { caller, config } = context
  if (!caller || !knowsCredentials(config)) return undefined
  return { accountId: caller.accountId, vendors: config.vendors }
}

/** Whether this process has a credential of any vendor. */
export function knowsCredentials({ vendors }: Pick<Config, 'vendors'>): boolean {
  return [...vendors.values()].some(({ credentials }) => credentials.length > 0)
}

/** The models of the catalogue that a caller sees. */
export interface Visibility {
  /** The viewer, who sees only models that a credential reaches; undefined for all models. */
  viewer?: Viewer | undefined
  /** Whether inactive models are visible too. */
  inactiveToo?: boolean
}

/**
 * Returns which models a caller of the graph sees: an account the active ones that a credential reaches, an operator all
 * of them. Every look-up of models by ID or name uses it.
 */
export function visibilityOf(
  context: Parameters<typeof viewerOf>[0] & { operator?: object | undefined },
): Visibility {
  return { viewer: viewerOf(context), inactiveToo: context.operator !== undefined }
}

/** Returns the SQL condition on rows of `models` that the model is visible. */
export function isVisible(sql: Sql, { viewer, inactiveToo = false }: Visibility) {
  return sql`${inactiveToo ? sql`not is_removed` : sql`is_active`} and ${isReachable(sql, viewer)}`
}

/**
 * Returns the SQL condition on rows of `models` that a credential of the platform or of the viewer's account reaches
 * the model.
 */
export function isReachable(sql: Sql, viewer: Viewer | undefined) {
  if (!viewer) return sql`true`
  const settings = [...viewer.vendors]
  const served = settings.flatMap(([label, { credentials }]) =>
    credentials.flatMap(({ models = ['*'] }) => models.map(pattern => likePattern(`${label}/${pattern}`))),
  )
  const addressed = settings
    .filter(([, { baseUrl, credentials }]) => baseUrl || credentials.some(hasEndpoint))
    .map(([label]) => label)
  const route = sql`r.route ->> 'vendor' || '/' || split_part(models.model, '/', 2)`
  return sql`(
    models.model like any (${served}::text[]) and (
      models.provider = any (${addressed}::text[]) or models.data #>> '{upstream,address}' is not null
      or exists (select from vendors v where v.label = models.provider and v.data ->> 'base_url' is not null))
    or exists (
      select from jsonb_array_elements(models.data -> 'routes') as r (route)
      where ${route} like any (${served}::text[]) and (
        r.route ->> 'vendor' = any (${addressed}::text[]) or r.route #>> '{upstream,address}' is not null
        or exists (select from vendors v where v.label = r.route ->> 'vendor' and v.data ->> 'base_url' is not null)))
    or exists (
      select from provider_credentials c
      where c.account_id = ${viewer.accountId} and not c.disabled and (
        c.provider = models.provider
        or exists (
          select from jsonb_array_elements(models.data -> 'routes') as r (route)
          where r.route ->> 'vendor' = c.provider))))`
}

/** Whether a credential has its own address. */
function hasEndpoint({ config }: PlatformCredential): boolean {
  return config?.endpoint !== undefined
}

/** A vendor of the catalogue that no credential of the platform reaches. */
export interface UnreachedVendor {
  label: string
  /** The environment variable that is missing. */
  variable: string
  models: string[]
}

/** Returns the vendors of active models that the platform can call at no vendor, with these models. */
export function unreachedVendors(
  vendors: Config['vendors'],
  catalogue: { models: readonly CatalogueEntry[]; vendors: readonly Vendor[] },
): UnreachedVendor[] {
  const byLabel = new Map(catalogue.vendors.map(vendor => [vendor.label, vendor]))
  const isReached = (entry: CatalogueEntry) => {
    const { credentials = [], baseUrl } = vendors.get(entry.provider) ?? {}
    const address = vendorAddress({ entry, vendor: byLabel.get(entry.provider) }, baseUrl)
    return address === undefined ? credentials.some(hasEndpoint) : credentials.length > 0
  }
  const unreached = new Map<string, UnreachedVendor>()
  for (const entry of catalogue.models) {
    const { provider: label, active, model } = entry
    const routes = entry.modality === 'chat' ? routeEntries(entry, name => byLabel.get(name)) : [entry]
    if (!active || routes.some(isReached)) continue
    const hasCredential = (vendors.get(label)?.credentials.length ?? 0) > 0
    const variable = `${label.toUpperCase()}_${hasCredential ? 'BASE_URL' : 'API_KEY'}`
    const known = unreached.get(label)
    if (known) known.models.push(model)
    else unreached.set(label, { label, variable, models: [model] })
  }
  return [...unreached.values()]
}
