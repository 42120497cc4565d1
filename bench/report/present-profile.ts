import type { HotSpot } from '../measure/read-profile.ts'
import { printTable } from './print-table.ts'

const placesShown = 30
const insideShown = 4

/** Where the edge's main thread spent its time, as shares of the time in which it was busy. */
export function presentProfile(spots: readonly HotSpot[]): string {
  const busySeconds = spots.reduce((sum, { seconds }) => sum + seconds, 0)
  const share = (seconds: number) => `${((100 * seconds) / busySeconds).toFixed(1)} %`
  return printTable(
    [
      { heading: 'edge', cell: ({ seconds }) => share(seconds), isFigure: true },
      { heading: `busy ${busySeconds.toFixed(1)} s, by our nearest function`, cell: ({ place }) => place },
      {
        heading: 'of that in',
        cell: ({ inside }) =>
          inside
            .slice(0, insideShown)
            .map(({ name, seconds }) => `${name} ${share(seconds)}`)
            .join(', '),
      },
    ],
    spots.slice(0, placesShown),
  )
}
