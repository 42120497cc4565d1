import { type KeyboardEvent, useRef, useState } from 'react'

/** A bar of a chart: the values of its series, from the bottom to the top. */
export interface Bar {
  key: string
  label: string
  values: readonly number[]
}

/** A part of each bar, with a colour of its own. */
export interface Series {
  name: string
  colour: 'series-1' | 'series-2' | 'series-3' | 'series-4'
}

const fills = {
  'series-1': 'fill-series-1',
  'series-2': 'fill-series-2',
  'series-3': 'fill-series-3',
  'series-4': 'fill-series-4',
} as const

export const swatches = {
  'series-1': 'bg-series-1',
  'series-2': 'bg-series-2',
  'series-3': 'bg-series-3',
  'series-4': 'bg-series-4',
} as const

/** Height of the bars in their own units. Widths are one unit for each bar. */
const height = 100

/** The bars of a chart. With `onSelect`, they are buttons of which one is in the order of the keyboard. */
export function Bars({
  title,
  bars,
  series,
  top,
  format,
  chosen,
  raised,
  isLow,
  onSelect,
}: {
  title: string
  bars: readonly Bar[]
  series: readonly Series[]
  /** The value at the upper edge. */
  top: number
  format(value: number): string
  chosen: string | undefined
  raised: string | undefined
  isLow: boolean
  onSelect: ((bar: Bar) => void) | undefined
}) {
  const chart = useRef<SVGSVGElement>(null)
  const [focused, setFocused] = useState<string>()
  const named = (key: string | undefined) => bars.findIndex(bar => bar.key === key)
  const current = [focused, chosen].map(named).find(index => index >= 0) ?? bars.length - 1
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -bars.length, End: bars.length }[event.key]
    const bar = bars[current]
    if (bar && (event.key === 'Enter' || event.key === ' ')) onSelect?.(bar)
    else if (step !== undefined) {
      const next = Math.max(0, Math.min(bars.length - 1, current + step))
      setFocused(bars[next]?.key)
      chart.current?.querySelectorAll<SVGGElement>('g')[next]?.focus()
    } else return
    event.preventDefault()
  }
  const pointed = raised ?? chosen
  const isDimmed = (key: string) => named(pointed) >= 0 && key !== pointed
  return (
    <svg
      ref={chart}
      role={onSelect ? 'group' : 'img'}
      aria-label={title}
      viewBox={`0 0 ${Math.max(bars.length, 1)} ${height}`}
      preserveAspectRatio="none"
      className={`${isLow ? 'h-24' : 'h-44'} w-full border-y border-line`}
    >
      <title>{title}</title>
      <path d={`M0 ${height / 2}H${bars.length}`} vectorEffect="non-scaling-stroke" className="stroke-line" />
      {bars.map((bar, index) => {
        const text = textOf(bar, series, format)
        return (
          <g
            key={bar.key}
            {...(onSelect && {
              role: 'button',
              tabIndex: index === current ? 0 : -1,
              'aria-label': text,
              'aria-pressed': bar.key === chosen,
              onClick: () => onSelect(bar),
              onKeyDown,
              onFocus: () => setFocused(bar.key),
            })}
            className={`${onSelect ? 'cursor-pointer focus-visible:outline-none' : ''} group`}
          >
            <title>{text}</title>
            <rect
              x={index}
              width={1}
              height={height}
              strokeWidth={2}
              vectorEffect="non-scaling-stroke"
              className={`fill-transparent group-focus-visible:stroke-accent ${onSelect ? 'group-hover:fill-hover' : ''}`}
            />
            {stack(bar.values, top).map(({ y, size }, part) => (
              <rect
                key={series[part]?.name}
                x={index + 0.12}
                y={y}
                width={0.76}
                height={size}
                className={`${fills[series[part]?.colour ?? 'series-4']} transition-opacity ${isDimmed(bar.key) ? 'opacity-40' : ''}`}
              />
            ))}
          </g>
        )
      })}
    </svg>
  )
}

function textOf(
  { label, values }: Bar,
  series: readonly Series[],
  format: (value: number) => string,
): string {
  return `${label}: ${values.map((value, part) => `${series[part]?.name ?? ''} ${format(value)}`).join(', ')}`
}

/** The parts of a bar in the units of the chart. */
function stack(values: readonly number[], top: number): { y: number; size: number }[] {
  let y = height
  return values.map(value => {
    const size = top === 0 ? 0 : (value / top) * height
    y -= size
    return { y, size }
  })
}
