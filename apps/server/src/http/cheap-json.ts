/** Nested levels of lists and objects: no call needs more than seven. */
const MAX_DEPTH = 16
/** Values, names of fields among them: the largest role has some twelve thousand. */
const MAX_VALUES = 50_000

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]
const [COMMA, COLON] = [0x2c, 0x3a]

/**
 * Whether JSON text is cheap to parse and to check: neither deeply nested nor of very many parts. The cost
 * depends on those more than on the size: 10 MiB of brackets take seconds, 10 MiB in a few strings
 * milliseconds. Invalid JSON may count as cheap.
 */
export function isCheapToParse(json: Buffer): boolean {
  let depth = 0
  let values = 1
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case QUOTE:
        at = endOfString(json, at)
        break
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++
        if (++depth > MAX_DEPTH) return false
        break
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--
        break
      case COMMA:
      case COLON:
        values++
        break
    }
    if (values > MAX_VALUES) return false
  }
  return true
}

/**
 * Position of the quote that ends the string which begins at `start`; the end of the text when there is none.
 */
export function endOfString(json: Buffer, start: number): number {
  for (let from = start + 1; ;) {
    const quote = json.indexOf(QUOTE, from)
    if (quote < 0) return json.length
    let escapes = 0
    while (json[quote - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return quote
    from = quote + 1
  }
}
