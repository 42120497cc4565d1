/** Where a model answers below a base address, which may be given with its version or without. */
export function locateModel({ baseUrl, model }: { baseUrl: string; model: string }): {
  origin: string
  path: string
} {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '').replace(/\/v1(beta)?$/, '')
  return { origin, path: `${prefix}/v1beta/models/${encodeURIComponent(model)}` }
}
