/** Downloads `parts` as a file of this name and today's date. */
export function download(
  parts: readonly BlobPart[],
  name: string,
  { type, ending }: { type: string; ending: string },
): void {
  const address = URL.createObjectURL(new Blob([...parts], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.${ending}`
  link.click()
  // A started download keeps its own reference to the data.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Separator: the most frequent one in the first line. */
const SEPARATORS = [',', ';', '\t'] as const

/** A line with its spreadsheet number: from 1, empty lines counted, a multi-line cell counted once. */
interface CsvLine {
  line: number
  cells: string[]
}

/**
 * Parses a CSV file (RFC 4180, also with semicolons or tabs): quoted cells may contain separators, line breaks and
 * doubled quotes. Empty lines are omitted. A quote that is never closed is a character, and hides no later line.
 */
export function parseCsv(text: string): CsvLine[] {
  const whole = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const first = whole.split('\n', 1)[0] ?? ''
  const separator = SEPARATORS.toSorted((a, b) => first.split(b).length - first.split(a).length)[0] ?? ','
  const lines: CsvLine[] = []
  let line = 0
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  let opened = -1
  const endRow = () => {
    line++
    cells.push(cell)
    if (cells.some((each) => each.trim() !== '')) lines.push({ line, cells })
    cells = []
    cell = ''
  }
  for (let i = 0; i < whole.length; i++) {
    const char = whole[i]
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (whole[i + 1] === '"') cell += whole[++i]
      else isQuoted = false
    } else if (char === '"' && cell.trim() === '' && i > opened) {
      cell = ''
      isQuoted = true
      opened = i
    } else if (char === separator) {
      cells.push(cell)
      cell = ''
    } else if (char === '\n') endRow()
    else cell += char
    if (isQuoted && i === whole.length - 1) {
      isQuoted = false
      cell = '"'
      i = opened
      opened = whole.length
    }
  }
  endRow()
  return lines
}

/** Decodes a file as UTF-8, as UTF-16 with a byte order mark, else as the legacy encoding of spreadsheets. */
export function decodeText(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
