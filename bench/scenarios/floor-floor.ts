import type { FloorScenario } from './scenario.ts'

/** The floor against itself: how far from 1 the ratio lies is noise of this machine. */
export const floorFloor: FloorScenario[] = [
  {
    name: 'floor-floor',
    says: 'the floor against itself, 50 connections',
    load: { shape: { connections: 50 }, keys: 1 },
    against: 'floor',
  },
]
