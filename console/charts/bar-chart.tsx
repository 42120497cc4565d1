import { useText } from '../text/language.ts'
import { messages } from '../ui/messages.ts'
import { type Bar, Bars, type Series, swatches } from './bars.tsx'

export type { Series }

/**
 * Stacked bars over time. The same numbers are in a table below, for screen readers and for exact reading. With
 * `onSelect`, a bar is a button, for example to filter a list. Arrow keys move between the bars.
 */
export function BarChart({
  title,
  bars,
  series,
  format,
  chosen,
  raised,
  isLow = false,
  onSelect,
}: {
  title: string
  bars: readonly Bar[]
  series: readonly Series[]
  format(value: number): string
  /** The key of the bar that is chosen. */
  chosen?: string | undefined
  /** The key of a bar that is pointed out beside the others. */
  raised?: string | undefined
  /** Whether the chart has half of the height. */
  isLow?: boolean
  onSelect?(bar: Bar): void
}) {
  const text = useText(messages)
  const totals = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))
  const top = niceMax(Math.max(0, ...totals))
  return (
    <figure className="flex flex-col gap-2">
      {series.length > 1 && (
        <ul className="flex flex-wrap justify-end gap-x-4 text-xs text-muted">
          {series.map(({ name, colour }) => (
            <li key={name} className="flex items-center gap-1.5">
              <span className={`size-2 rounded-xs ${swatches[colour]}`} />
              {name}
            </li>
          ))}
        </ul>
      )}
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2 text-xs text-muted">
        <div aria-hidden="true" className="-my-2 flex flex-col justify-between text-right">
          {(top === 0 ? [] : [top, top / 2, 0]).map(value => (
            <span key={value}>{format(value)}</span>
          ))}
        </div>
        <Bars
          title={title}
          bars={bars}
          series={series}
          top={top}
          format={format}
          chosen={chosen}
          raised={raised}
          isLow={isLow}
          onSelect={onSelect}
        />
        <div aria-hidden="true" className="relative col-start-2 mt-1.5 h-4">
          {labelled(bars).map(({ key, label, middle, isMinor }) => (
            <span
              key={key}
              className={`absolute -translate-x-1/2 whitespace-nowrap ${isMinor ? 'max-sm:hidden' : ''}`}
              style={{ left: `${middle}%` }}
            >
              {label}
            </span>
          ))}
        </div>
      </div>
      <details className="text-sm">
        <summary className="text-muted hover:text-ink">{text.asTable}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls must be reachable by keyboard */}
        <div className="mt-2 max-h-64 overflow-auto" tabIndex={0}>
          <table className="w-full">
            <caption className="sr-only">{title}</caption>
            <thead>
              <tr className="text-left text-muted">
                <td />
                {series.map(({ name }) => (
                  <th key={name} scope="col" className="py-1 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map(bar => (
                <tr key={bar.key} className="border-t border-line">
                  <th scope="row" className="py-1 text-left font-normal">
                    {onSelect ? (
                      <button type="button" className="underline" onClick={() => onSelect(bar)}>
                        {bar.label}
                      </button>
                    ) : (
                      bar.label
                    )}
                  </th>
                  {bar.values.map((value, part) => (
                    <td key={series[part]?.name} className="py-1 text-right">
                      {format(value)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  )
}

/** Maximum number of labels below a chart. On phones, every second one is shown. */
const maxLabels = 6

/** The bars with a label below them, at equal distances, and their middles in percent of the width. */
function labelled(bars: readonly Bar[]) {
  const step = Math.ceil(bars.length / maxLabels)
  return bars.flatMap(({ key, label }, index) => {
    const fromLast = bars.length - 1 - index
    if (fromLast % step !== Math.floor(step / 2)) return []
    return [{ key, label, middle: ((index + 0.5) / bars.length) * 100, isMinor: (fromLast / step) % 2 >= 1 }]
  })
}

/** Returns the smallest round number that is not below a value. */
export function niceMax(value: number): number {
  if (value <= 0) return 0
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(step => step * power).find(step => step >= value) ?? value
}
