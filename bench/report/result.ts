/** A limit of a figure. */
export interface Target {
  min?: number | undefined
  max?: number | undefined
}

/** Figures of one kind, e.g. the requests per second of the floor and of the edge. */
export interface Row {
  /** The name of the measure, with its unit if the names of the figures do not state it. */
  label: string
  figures: Record<string, number>
  /** The targets of figures, by name. */
  targets: Record<string, Target>
}

export function row(label: string, figures: Row['figures'], targets: Row['targets'] = {}): Row {
  return { label, figures, targets }
}

/** The result of a scenario. */
export interface Result {
  rows: Row[]
  /** What went wrong, e.g. wrong responses or charges. With faults, the figures prove nothing. */
  faults: string[]
  /** Raw data for `--json`, e.g. each round. */
  data?: unknown
}

/** A figure's target, and whether it is met. */
export interface Verdict {
  /** The figure and the limit, e.g. `ratio ≥ 0.5`. */
  target: string
  value: number
  isMet: boolean
}

/** Compares the figures of a row with their targets. A figure that is not a number misses its target. */
export function judge({ figures, targets }: Row): Verdict[] {
  return Object.entries(targets).flatMap(([name, { min, max }]) => {
    const value = figures[name] ?? Number.NaN
    return [
      ...(min === undefined ? [] : [{ target: `${name} ≥ ${min}`, value, isMet: value >= min }]),
      ...(max === undefined ? [] : [{ target: `${name} ≤ ${max}`, value, isMet: value <= max }]),
    ]
  })
}
