/** A sample of a scrape: its name, labels and value. */
export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Scrapes a process. Resolves to its samples. */
export async function scrape(healthUrl: string): Promise<Sample[]> {
  const response = await fetch(`${healthUrl}/metrics`)
  if (!response.ok) throw new Error(`the scrape failed with ${response.status}`)
  const lines = (await response.text()).split('\n')
  return lines.filter(line => line !== '' && !line.startsWith('#')).map(readSample)
}

function readSample(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  if (!name) throw new Error(`not a sample: ${line}`)
  const pairs = labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)
  return {
    name,
    labels: Object.fromEntries(Array.from(pairs, ([, key, text]) => [key, text])),
    value: Number(value),
  }
}

/** Returns the sum of the samples of a name that have these labels; undefined if there are none. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const found = samples.filter(
    sample =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
