/** Between the cells of a line, by what its first line has most of. */
const SEPARATORS = [',', ';', '\t'] as const

/**
 * The lines of a file as spreadsheets write it (RFC 4180, also with semicolons or tabs): cells in quotes may hold separators, line breaks and
 * doubled quotes. Empty lines are left out.
 */
export function parseCsv(text: string): string[][] {
  const whole = text.replace(/^\uFEFF/, '')
  const first = whole.split(/\r?\n/, 1)[0] ?? ''
  const separator = SEPARATORS.toSorted((a, b) => first.split(b).length - first.split(a).length)[0] ?? ','
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endRow = () => {
    row.push(cell)
    if (row.some((each) => each.trim() !== '')) rows.push(row)
    row = []
    cell = ''
  }
  for (let i = 0; i < whole.length; i++) {
    const char = whole[i]
    if (isQuoted) {
      if (char !== '"') cell += char
      else if (whole[i + 1] === '"') cell += whole[++i]
      else isQuoted = false
    } else if (char === '"' && cell.trim() === '') {
      cell = ''
      isQuoted = true
    } else if (char === separator) {
      row.push(cell)
      cell = ''
    } else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  endRow()
  return rows
}

/** A file's text: UTF-8, else as older spreadsheets write it. */
export function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
