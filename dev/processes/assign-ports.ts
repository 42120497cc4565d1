/** Where each part of the system listens. */
export interface Ports {
  edge: number
  control: number
  worker: number
  simulator: number
  postgres: number
  redis: number
  /** Of the edge's health. */
  health: number
}

/** The edge's port and the ones after it. Throws one line when they do not fit. */
export function assignPorts(first: number): Ports {
  if (!Number.isInteger(first) || first < 1 || first > 65_500)
    throw new Error('--port takes a whole number from 1 to 65500')
  return {
    edge: first,
    control: first + 1,
    worker: first + 2,
    simulator: first + 3,
    postgres: first + 4,
    redis: first + 5,
    health: first + 6,
  }
}
