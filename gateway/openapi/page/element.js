// Creates elements of the page. Text is never parsed as HTML.

/** Returns an element with properties and children: elements and text. */
export function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

/** Returns text with `code` as a paragraph. Lines that begin with a dash become a list. */
export function prose(text) {
  const lines = text.split('\n')
  if (!lines.every(line => line.startsWith('- '))) return element('p', {}, ...withCode(text))
  return element('ul', {}, ...lines.map(line => element('li', {}, ...withCode(line.slice(2)))))
}

/** Splits text into plain text and code in backticks. */
export function withCode(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part))
}

/** Returns a value as indented JSON. */
export function json(value) {
  return JSON.stringify(value, null, 2)
}
