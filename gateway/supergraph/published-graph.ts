import { readFile, writeFile } from 'node:fs/promises'
import { buildSchema, findBreakingChanges, type GraphQLSchema, printSchema } from 'graphql'
import { graphFolder } from './load-graph.ts'

const folder = new URL('published/', graphFolder)
const graphFile = new URL('graph.graphql', folder)
const allowedFile = new URL('breaking-changes.txt', folder)

/** The graph as it was last published to clients, and what may break of it. */
interface PublishedGraph {
  schema: GraphQLSchema
  /** A line for each breaking change that is wanted, as `breakingChanges` tells it. */
  allowed: string[]
}

/** Reads what was published; lines that begin with # say why. */
export async function readPublished(): Promise<PublishedGraph> {
  const [sdl, allowed] = await Promise.all([readFile(graphFile, 'utf8'), readFile(allowedFile, 'utf8')])
  const lines = allowed.split('\n').map(line => line.trim())
  return { schema: buildSchema(sdl), allowed: lines.filter(line => line !== '' && !line.startsWith('#')) }
}

/** What of a graph breaks documents that another takes, a line each. */
export function breakingChanges(published: GraphQLSchema, now: GraphQLSchema): string[] {
  return findBreakingChanges(published, now)
    .map(({ type, description }) => `${type}: ${description}`)
    .sort()
}

const allowedHead = `# Changes that may break documents of clients, on purpose: a line each, as the test of the graph tells it, under a
# line that says why. \`npm run graph:publish\` begins anew.
`

/** Publishes a graph: from now on changes are compared with it. */
export async function publish(now: GraphQLSchema): Promise<void> {
  await writeFile(graphFile, `${printSchema(now)}\n`)
  await writeFile(allowedFile, allowedHead)
}
