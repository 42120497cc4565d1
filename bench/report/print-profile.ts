import type { HotSpot } from '../measure/read-profile.ts'
import { printTable } from './print-table.ts'

const maxPlaces = 30
const maxInside = 4

/** Returns where the edge's main thread spent its time, as shares of its busy time. */
export function printProfile(spots: readonly HotSpot[]): string {
  const busySeconds = spots.reduce((sum, { seconds }) => sum + seconds, 0)
  const share = (seconds: number) => `${((100 * seconds) / busySeconds).toFixed(1)} %`
  const columns = [
    { heading: 'edge', cell: ({ seconds }: HotSpot) => share(seconds), isFigure: true },
    {
      heading: `busy ${busySeconds.toFixed(1)} s, by our nearest function`,
      cell: ({ place }: HotSpot) => place,
    },
    {
      heading: 'of that in',
      cell: ({ inside }: HotSpot) =>
        inside
          .slice(0, maxInside)
          .map(({ name, seconds }) => `${name} ${share(seconds)}`)
          .join(', '),
    },
  ]
  return `\n${printTable(columns, spots.slice(0, maxPlaces))}\n`
}
