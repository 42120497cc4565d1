import { useText } from '../../../text/language.ts'
import { type Difference, maxDifferences } from './differences.ts'
import { messages } from './messages.ts'

/** The values that differ between two versions, one row each. */
export function DifferenceTable({
  caption,
  differences,
  before,
  after,
}: {
  /** Describes the table for screen readers. */
  caption: string
  differences: readonly Difference[]
  /** The headings of the two versions. */
  before: string
  after: string
}) {
  const text = useText(messages)
  if (differences.length === 0) return <p className="text-muted">{text.same}</p>
  return (
    <>
      <section
        aria-label={caption}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-lg border border-line"
      >
        <table className="w-full">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="border-b border-line text-left text-sm text-muted">
              {[text.path, before, after].map(name => (
                <th key={name} scope="col" className="px-3 py-2 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {differences.map(({ path, before: old, after: next }) => (
              <tr key={path} className="border-b border-line align-top last:border-0">
                <th scope="row" className="px-3 py-2 text-left font-mono text-xs font-normal break-all">
                  {path || '–'}
                </th>
                <Value value={old} className="text-muted" />
                <Value value={next} className="" />
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {differences.length >= maxDifferences && <p className="text-sm text-muted">{text.moreDiffer}</p>}
    </>
  )
}

function Value({ value, className }: { value: unknown; className: string }) {
  const text = useText(messages)
  return (
    <td className={`px-3 py-2 font-mono text-xs break-all ${className}`}>
      {value === undefined ? <span className="font-sans italic">{text.missing}</span> : JSON.stringify(value)}
    </td>
  )
}
