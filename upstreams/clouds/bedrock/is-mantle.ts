/** Whether an address is that of Bedrock's newer endpoint, `bedrock-mantle.{region}.api.aws`. */
export function isMantle(url: string): boolean {
  return /^https?:\/\/bedrock-mantle\./i.test(url)
}
