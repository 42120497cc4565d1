import { readFile, writeFile } from 'node:fs/promises'
import { buildSchema, findBreakingChanges, type GraphQLSchema, printSchema } from 'graphql'
import { graphFolder } from './load-graph.ts'

const folder = new URL('published/', graphFolder)
const graphFile = new URL('graph.graphql', folder)
const allowedFile = new URL('breaking-changes.txt', folder)

/** The graph that was last published to clients, and its allowed breaking changes. */
interface PublishedGraph {
  schema: GraphQLSchema
  /** The intended breaking changes, one per line, in the format of `breakingChanges`. */
  allowed: string[]
}

/** Reads the published graph. In breaking-changes.txt, lines that begin with # are comments. */
export async function readPublished(): Promise<PublishedGraph> {
  const [sdl, allowed] = await Promise.all([readFile(graphFile, 'utf8'), readFile(allowedFile, 'utf8')])
  const lines = allowed.split('\n').map(line => line.trim())
  return { schema: buildSchema(sdl), allowed: lines.filter(line => line !== '' && !line.startsWith('#')) }
}

/** Returns the changes that break documents for the published graph, one per line. */
export function breakingChanges(published: GraphQLSchema, now: GraphQLSchema): string[] {
  return findBreakingChanges(published, now)
    .map(({ type, description }) => `${type}: ${description}`)
    .sort()
}

const allowedHead = `# Intended changes that can break documents of clients, one per line as the test of the graph prints them, each below a
# comment with the reason. \`npm run graph:publish\` empties the list.
`

/** Publishes a graph. Later changes are compared with it. */
export async function publish(now: GraphQLSchema): Promise<void> {
  await writeFile(graphFile, `${printSchema(now)}\n`)
  await writeFile(allowedFile, allowedHead)
}
