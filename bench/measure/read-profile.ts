import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkout } from '../../dev/home.ts'

/** A node of a V8 CPU profile. */
interface Node {
  id: number
  callFrame: { functionName: string; url: string }
  children?: number[]
}

/** Time of one of our functions, including the libraries that it calls. */
export interface HotSpot {
  place: string
  seconds: number
  /** The functions that took the time, the longest first. */
  inside: { name: string; seconds: number }[]
}

/** The name of the profile of a main thread: `CPU.DAY.TIME.PROCESS.THREAD.NUMBER.cpuprofile`. */
const ofMainThread = /\.0\.\d+\.cpuprofile$/

const ours = `${pathToFileURL(checkout)}/`
const libraries = '/node_modules/'

/** Reads the newest profile of a main thread in `folder`. Throws if there is none. */
export async function readProfile(folder: string): Promise<HotSpot[]> {
  const newest = (await readdir(folder))
    .filter(name => ofMainThread.test(name))
    .sort()
    .at(-1)
  if (!newest) throw new Error(`no profile in ${folder}: the process was killed`)
  const profile: { nodes: Node[]; samples: number[]; timeDeltas: number[] } = JSON.parse(
    await readFile(join(folder, newest), 'utf8'),
  )
  const nodes = new Map(profile.nodes.map(node => [node.id, node]))
  const parents = new Map(profile.nodes.flatMap(node => (node.children ?? []).map(child => [child, node])))
  const spots = new Map<string, Map<string, number>>()
  for (const [index, id] of profile.samples.entries()) {
    const node = nodes.get(id)
    const place = node && placeOf(node, parents)
    if (!node || !place) continue
    const inside = spots.get(place) ?? new Map<string, number>()
    const name = node.callFrame.functionName || 'anonymous'
    spots.set(place, inside.set(name, (inside.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1e6))
  }
  const longestFirst = (one: { seconds: number }, other: { seconds: number }) => other.seconds - one.seconds
  return Array.from(spots, ([place, parts]) => {
    const inside = Array.from(parts, ([name, seconds]) => ({ name, seconds })).sort(longestFirst)
    return { place, inside, seconds: inside.reduce((sum, { seconds }) => sum + seconds, 0) }
  }).sort(longestFirst)
}

/** Returns our nearest function up the stack, or else the library, or else Node's work; undefined while idle or loading. */
function placeOf(leaf: Node, parents: Map<number, Node>): string | undefined {
  let library: string | undefined
  let place: string | undefined
  for (let node: Node | undefined = leaf; node; node = parents.get(node.id)) {
    const { url, functionName } = node.callFrame
    if (functionName === '(idle)' || url.startsWith('node:internal/modules')) return undefined
    if (url.includes(libraries)) library ??= `library ${packageOf(url)}`
    else if (url.startsWith(ours)) place ??= `${functionName || 'anonymous'}, ${url.slice(ours.length)}`
  }
  return place ?? library ?? `node ${leaf.callFrame.functionName}`
}

function packageOf(url: string): string {
  const [first = '', second = ''] = url.slice(url.lastIndexOf(libraries) + libraries.length).split('/')
  return first.startsWith('@') ? `${first}/${second}` : first
}
