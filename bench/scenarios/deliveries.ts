import type { Deliveries } from './scenario.ts'

/** The delay of notifications that a task has ended, without other load. */
const told: Deliveries = {
  name: 'told',
  says: '100 videos, watched and called back',
  deliver: { count: 100, takeMs: 1_000, bytes: 1_000 },
  atMostWatcherMs: 250,
  atMostCallbackMs: 500,
}

/** A gigabyte that is fetched from the vendor and stored, and the memory that takes. */
const stored: Deliveries = {
  name: 'stored',
  says: '16 videos of 64 MB',
  deliver: { count: 16, takeMs: 500, bytes: 64 << 20 },
  atMostGrownBytes: 100_000_000,
}

export const deliveries: Deliveries[] = [told, stored]
