/** The straight line nearest to the points, by least squares. */
export interface Line {
  slope: number
  intercept: number
}

/** Fits it. Throws for fewer than two points. */
export function fitLine(points: readonly { x: number; y: number }[]): Line {
  if (points.length < 2) throw new Error('a line needs two points')
  const meanX = mean(points.map(({ x }) => x))
  const meanY = mean(points.map(({ y }) => y))
  let covariance = 0
  let variance = 0
  for (const { x, y } of points) {
    covariance += (x - meanX) * (y - meanY)
    variance += (x - meanX) ** 2
  }
  const slope = covariance / variance
  return { slope, intercept: meanY - slope * meanX }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
