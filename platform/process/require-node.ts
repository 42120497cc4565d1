/** The oldest Node that can keep a listening server open without accepting connections (`platform/http/share-port.ts`). */
const oldest = [24, 21] as const

/**
 * Ends the process with one line if its Node is too old. Import it first, before any module that would fail with a less
 * clear message. The scripts of npm always run on the Node of the package `node`, which is new enough.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  const needed = `Node ${oldest.join('.')} or newer is required`
  process.stderr.write(
    `${needed}; this is Node ${process.versions.node}. The npm scripts run on their own Node 24.\n`,
  )
  process.exit(1)
}
