/** A statement of an SQL file. */
export interface FileStatement {
  /** Its text without the semicolon, beginning with its first word. */
  text: string
  /** The number of its first line, from 1. */
  line: number
}

/** The texts in which a semicolon ends no statement: comments, strings, names, and the bodies of functions. */
const quoted =
  /--[^\n]*|\/\*[\s\S]*?\*\/|\bE'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/giy

/** Splits an SQL file into its statements. Nested comments and SQL bodies with `begin atomic` are not supported. */
export function splitStatements(text: string): FileStatement[] {
  const statements: FileStatement[] = []
  let start = 0
  const end = (index: number) => {
    const [, blank = '', statement = ''] =
      /^((?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)*)([\s\S]*)$/.exec(text.slice(start, index)) ?? []
    const line = text.slice(0, start + blank.length).split('\n').length
    if (statement.trim() !== '') statements.push({ text: statement.trimEnd(), line })
    start = index + 1
  }
  for (let index = 0; index < text.length; ) {
    quoted.lastIndex = index
    const match = quoted.exec(text)
    if (!match && text[index] === ';') end(index)
    index += match?.[0].length ?? 1
  }
  end(text.length)
  return statements
}

/** Returns a statement in one line, without comments, and in lower case except for strings and quoted names. */
export function plainStatement(text: string): string {
  let plain = ''
  for (let index = 0; index < text.length; ) {
    quoted.lastIndex = index
    const [part = text[index]!] = quoted.exec(text) ?? []
    plain += /^(--|\/\*)/.test(part) ? ' ' : part.length > 1 ? part : part.toLowerCase()
    index += part.length
  }
  return plain.replaceAll(/\s+/g, ' ').trim()
}
