import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { checkout } from '../../dev/home.ts'

/** The parts of a V8 CPU profile that are read. */
const Profile = Type.Object({
  nodes: Type.Array(
    Type.Object({
      id: Type.Integer(),
      callFrame: Type.Object({ functionName: Type.String(), url: Type.String() }),
      children: Type.Optional(Type.Array(Type.Integer())),
    }),
  ),
  samples: Type.Array(Type.Integer()),
  timeDeltas: Type.Array(Type.Number()),
})
type Node = Static<typeof Profile>['nodes'][number]

/** Where a process spent its time: seconds by function of ours, with all that it called elsewhere. */
export interface HotSpot {
  place: string
  seconds: number
  /** The functions in which the time was really spent, the longest first. */
  inside: { name: string; seconds: number }[]
}

/** How the profile of a main thread is called: `CPU.DAY.TIME.PROCESS.THREAD.NUMBER.cpuprofile`. */
const ofMainThread = /\.0\.\d+\.cpuprofile$/

/** Reads the newest profile of a main thread in `folder`. Throws when there is none. */
export async function readProfile(folder: string): Promise<HotSpot[]> {
  const newest = (await readdir(folder))
    .filter(name => ofMainThread.test(name))
    .sort()
    .at(-1)
  if (!newest) throw new Error(`no profile in ${folder}: the process did not end by itself`)
  const profile = Value.Parse(Profile, JSON.parse(await readFile(join(folder, newest), 'utf8')))
  const nodes = new Map(profile.nodes.map(node => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap(node => (node.children ?? []).map(child => [child, node])))
  const spots = new Map<string, Map<string, number>>()
  for (const [index, id] of profile.samples.entries()) {
    const node = nodes.get(id)
    const place = node && placeOf(node, parents)
    if (!node || !place) continue
    const inside = spots.get(place) ?? new Map<string, number>()
    const { functionName } = node.callFrame
    inside.set(functionName, (inside.get(functionName) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1e6)
    spots.set(place, inside)
  }
  return [...spots].map(([place, inside]) => summarise(place, inside)).sort(longestFirst)
}

const ours = `${pathToFileURL(checkout)}/`
const libraries = '/node_modules/'

/** Our nearest function up the stack, else the library, else what Node did; nothing while idle or loading modules. */
function placeOf(leaf: Node, parents: Map<number, Node>): string | undefined {
  let place: string | undefined
  let library: string | undefined
  for (let node: Node | undefined = leaf; node; node = parents.get(node.id)) {
    const { url, functionName } = node.callFrame
    if (functionName === '(idle)' || url.startsWith('node:internal/modules')) return undefined
    if (url.includes(libraries)) library ??= packageOf(url)
    else if (url.startsWith(ours)) place ??= `${functionName || 'anonymous'}, ${url.slice(ours.length)}`
  }
  return place ?? library ?? `node ${leaf.callFrame.functionName}`
}

function packageOf(url: string): string {
  const [first = '', second = ''] = url.slice(url.lastIndexOf(libraries) + libraries.length).split('/')
  return `library ${first.startsWith('@') ? `${first}/${second}` : first}`
}

function summarise(place: string, inside: Map<string, number>): HotSpot {
  const parts = [...inside]
    .map(([name, seconds]) => ({ name: name || 'anonymous', seconds }))
    .sort(longestFirst)
  return { place, inside: parts, seconds: parts.reduce((sum, part) => sum + part.seconds, 0) }
}

function longestFirst(one: { seconds: number }, other: { seconds: number }): number {
  return other.seconds - one.seconds
}
