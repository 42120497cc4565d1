// Makes elements of the page. Text is never read as HTML.

/** An element with its properties and what it contains: elements and text. */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** Sentences with `code` in them, as a paragraph; lines that begin with a dash as a list. */
export function prose(text) {
  const lines = text.split('\n')
  if (!lines.every(line => line.startsWith('- '))) return element('p', {}, ...withCode(text))
  return element('ul', {}, ...lines.map(line => element('li', {}, ...withCode(line.slice(2)))))
}

/** Text, and what stands in backticks as code. */
export function withCode(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part))
}

/** A value as indented JSON. */
export function json(value) {
  return JSON.stringify(value, null, 2)
}
