/** Returns the JSON of the body that an adapter built for a vendor. */
export function printed(body: object | string | undefined): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}
