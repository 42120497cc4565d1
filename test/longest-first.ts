import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The order of projects. Small files end a run best: all workers end at about the same time. */
const projects = ['journeys', 'spread', 'alone', 'functions']

/** Files that start many processes, a build or a browser. The other files run beside them. */
const longest = [
  'test/outages/',
  'test/console/',
  'deploy/tree.test.ts',
  'domain/committer/',
  'operator/commands.test.ts',
  'gateway/main.test.ts',
  'test/edge/workers.test.ts',
  'test/edge/drain.test.ts',
]

/** Starts the longest files first, also in a new checkout, in which Vitest knows no durations. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => longest.some(path => moduleId.includes(`/${path}`))
    const placeOf = (file: TestSpecification) =>
      2 * projects.indexOf(file.project.name) + (isLong(file) ? 0 : 1)
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other))
  }
}
