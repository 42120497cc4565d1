import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The folder `schema` of this version. */
export const schemaFolder = join(import.meta.dirname, '../../schema')

/** An SQL file of the folder `schema`. */
export interface SchemaFile {
  /** The file's name: `0005-ledger.sql`. */
  name: string
  text: string
  /** The checksum that the database keeps, in hex. */
  sha256: string
}

/** A file of `migrations`. Comments before its first statement can declare two properties. */
export interface Migration extends SchemaFile {
  /**
   * `-- compatible since NAME`: a version whose newest migration is NAME, or a later one, runs on the migrated database.
   * Without it, older versions are refused.
   */
  compatibleSince: string | undefined
  /** False with `-- transaction: none`: the statements are run one by one, as `create index concurrently` requires. */
  inTransaction: boolean
}

/** Resolves to the migrations of the folder `schema`, in order. */
export async function readMigrations(schema: string): Promise<Migration[]> {
  const files = await readFiles(join(schema, 'migrations'))
  return files.map(file => {
    const [preface = ''] = /^(\s*--.*\n)*/.exec(file.text) ?? []
    return {
      ...file,
      compatibleSince: /^\s*-- compatible since (\S+\.sql)$/m.exec(preface)?.[1],
      inTransaction: !/^\s*-- transaction: none$/m.test(preface),
    }
  })
}

/** Resolves to the files of `statements`. Each creates one function, which has the file's name with underscores. */
export async function readStatements(schema: string): Promise<SchemaFile[]> {
  return readFiles(join(schema, 'statements'))
}

async function readFiles(folder: string): Promise<SchemaFile[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async name => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}
