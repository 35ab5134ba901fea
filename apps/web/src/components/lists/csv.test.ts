import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvCell, csvLines, csvTime, separatorFor } from './csv.ts'

for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
  test(`a cell that starts with ${JSON.stringify(start)} is no formula`, () => {
    assert.match(csvCell(`${start}1+1`, ','), /^"?'/)
  })
}

test('no text can start a formula, break its cell or its line', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', ',', ';', 'a', '1'),
  })
  fc.assert(
    fc.property(
      fc.array(nasty, { minLength: 2, maxLength: 4 }),
      fc.constantFrom(',', ';'),
      (cells, separator) => {
        const read = parseLine(csvLines([cells], separator), separator)
        assert.equal(read.length, cells.length)
        for (const [index, cell] of read.entries()) {
          assert.doesNotMatch(cell, /^[=+\-@\t\r\n]/)
          assert.equal(cell.replaceAll("'", ''), cells[index])
        }
      },
    ),
  )
})

test('no part of a text starts a formula where a spreadsheet splits at the other separator', () => {
  for (const text of ['x;=cmd|1', 'x; @sum', 'x,"=1"', 'x\t+a', '-1;-1+cmd|x', 'a\n＝1']) {
    const [line = ''] = csvLines([[text]], ',').split(/\r\n$/)
    for (const part of line.split(/[,;\t\n]/)) assert.doesNotMatch(part, /^[" ]*[=+\-@＝]/, line)
  }
  assert.equal(csvCell('Ana +5511; +44 20 7946 0000; -5', ','), 'Ana +5511; +44 20 7946 0000; -5')
})

test('numbers stay numbers, and missing values are empty cells', () => {
  assert.equal(csvLines([[-5, 1.5, true, undefined, null, '']], ';'), '-5;1.5;true;;;\r\n')
})

test('the separator is a semicolon in Brazilian Portuguese and a comma in English', () => {
  assert.equal(separatorFor('pt-BR'), ';')
  assert.equal(separatorFor('en-GB'), ',')
  assert.equal(csvCell('a,b', ';'), 'a,b')
  assert.equal(csvCell('a,b', ','), '"a,b"')
})

test('times are ISO 8601 in UTC', () => {
  assert.equal(csvTime(1_795_228_332), '2026-11-21T02:32:12Z')
  assert.equal(csvTime(undefined), undefined)
})

/** An independent reader of one RFC 4180 record. */
function parseLine(line: string, separator: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest)
    const text = quoted ? quoted[0] : rest.slice(0, rest.search(new RegExp(`${separator}|\r\n`)))
    cells.push(quoted ? (quoted[1] ?? '').replaceAll('""', '"') : text)
    rest = rest.slice(text.length)
    if (!rest.startsWith(separator)) break
    rest = rest.slice(1)
  }
  assert.equal(rest, '\r\n')
  return cells
}
