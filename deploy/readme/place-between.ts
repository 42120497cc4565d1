/**
 * `text` with what stands between the markers `<!-- name -->` and `<!-- /name -->` replaced.
 * Throws when a marker is missing.
 */
export function placeBetween(text: string, name: string, content: string): string {
  const [opening, closing] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const from = text.indexOf(opening)
  const to = text.indexOf(closing)
  if (from < 0 || to < from) throw new Error(`the markers ${opening} and ${closing} are missing`)
  return `${text.slice(0, from + opening.length)}\n${content}\n${text.slice(to)}`
}
