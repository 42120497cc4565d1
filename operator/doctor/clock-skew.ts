import type { Finding } from './check.ts'

/** Difference of clocks that is reported, in milliseconds. Synchronised machines differ by some milliseconds. */
const maxSkewMs = 2_000

/** A reading of a server's clock: its time, and this machine's times before and after. In milliseconds since 1970. */
export interface ClockReading {
  sentAt: number
  receivedAt: number
  serverAt: number
}

/** Returns by how much the server's clock is ahead, in milliseconds. It is exact to half of the round trip. */
export function skewOf({ sentAt, receivedAt, serverAt }: ClockReading): number {
  return Math.round(serverAt - (sentAt + receivedAt) / 2)
}

/** Reads a server's clock some times, and resolves to the reading with the shortest round trip. */
export async function readClock(readServer: () => Promise<number>): Promise<ClockReading> {
  const readings: ClockReading[] = []
  for (let turn = 0; turn < 3; turn++) {
    const sentAt = Date.now()
    const serverAt = await readServer()
    readings.push({ sentAt, serverAt, receivedAt: Date.now() })
  }
  const roundTrip = ({ sentAt, receivedAt }: ClockReading) => receivedAt - sentAt
  return readings.reduce((best, next) => (roundTrip(next) < roundTrip(best) ? next : best))
}

/** Returns a finding if the clocks differ by more than the reading can explain. */
export function skewFindings(server: string, reading: ClockReading): Finding[] {
  const skewMs = skewOf(reading)
  const uncertaintyMs = (reading.receivedAt - reading.sentAt) / 2
  if (Math.abs(skewMs) - uncertaintyMs <= maxSkewMs) return []
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1)
  return [
    {
      fault: `the clock of ${server} is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the clock of this machine`,
      remedy:
        'Synchronise both with NTP: sessions, signatures and codes of authenticator apps depend on the time.',
    },
  ]
}
