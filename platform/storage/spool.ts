import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** The content of a source, stored on disk. */
export interface Spooled {
  bytes: number
  read(): Readable
  close(): Promise<void>
}

const pieceBytes = 65_536

/**
 * Reads a source of unknown length to its end, into an unlinked file, which disappears when the process ends at the
 * latest. Rejects if the source fails.
 */
export async function spool(source: Readable): Promise<Spooled> {
  const path = join(tmpdir(), `rubicon-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    await file.writeFile(source)
    const { size } = await file.stat()
    return {
      bytes: size,
      read: () => Readable.from(piecesOf(file), { objectMode: false }),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, position)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    position += bytesRead
  }
}
