import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText, parseCsv } from '../../components/lists/parse-csv.ts'
import { readRows } from './read-rows.ts'

test('cells in quotes, every separator and ending of lines, and empty lines', () => {
  assert.deepEqual(parseCsv('a,b\r\n1,"x, ""y""\nz"\r\n\r\n , \n2,3'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', 'x, "y"\nz'] },
    { line: 5, cells: ['2', '3'] },
  ])
  assert.deepEqual(parseCsv('\uFEFFa;b\n1;2,5'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', '2,5'] },
  ])
  assert.deepEqual(parseCsv('a\tb\n1\t'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', ''] },
  ])
  assert.deepEqual(parseCsv(''), [])
})

test('text of today and of older spreadsheets', () => {
  const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding)).buffer
  assert.equal(decodeText(bytes('João', 'utf8')), 'João')
  assert.equal(decodeText(bytes('João', 'latin1')), 'João')
})

test('the first line names the columns, in any order, case and with spaces', () => {
  assert.deepEqual(readRows('Group;Device user reference;first_name\nNorth;ada;Ada\nSouth;bea'), {
    rows: [
      { line: 2, row: { group: 'North', device_user_reference: 'ada', first_name: 'Ada' } },
      { line: 3, row: { group: 'South', device_user_reference: 'bea' } },
    ],
    unknown: [],
  })
  assert.deepEqual(readRows('device_user_reference,desk\nada,7').unknown, ['desk'])
  assert.deepEqual(readRows('group\nNorth').rows, [])
})
