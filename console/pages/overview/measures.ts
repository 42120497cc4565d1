/** The measures that the chart of the overview can show. */
export const measures = ['spent', 'requests', 'tokens'] as const

export type Measure = (typeof measures)[number]
