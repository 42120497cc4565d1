/** The REST name of a graph name: `ipWhitelist[0]` is `ip_whitelist[0]`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}
