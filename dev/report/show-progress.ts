import { styleText } from 'node:util'

/** Tells, line by line, how far a start has come. */
export interface Progress {
  /** Awaits the work, then tells that it is done, what came of it and how long it took. */
  step<Result>(label: string, work: Promise<Result>, outcome?: (result: Result) => string): Promise<Result>
  /** One line about something that happened. */
  tell(line: string): void
}

export function showProgress(output: NodeJS.WriteStream): Progress {
  const tell = (line: string) => void output.write(`${line}\n`)
  const style = (format: 'green' | 'dim', text: string) => styleText(format, text, { stream: output })
  return {
    tell: line => tell(`  ${line}`),
    async step(label, work, outcome) {
      const startedAt = Date.now()
      const result = await work
      const seconds = `${((Date.now() - startedAt) / 1000).toFixed(1)} s`
      const told = [label.padEnd(14), outcome?.(result) ?? '', style('dim', seconds)]
      tell(`  ${style('green', '✓')} ${told.filter(part => part !== '').join('  ')}`)
      return result
    },
  }
}
