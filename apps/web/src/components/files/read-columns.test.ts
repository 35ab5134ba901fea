import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText, parseCsv } from '../../ui/files.ts'
import { getHeaders, readColumns } from './read-columns.ts'

test('parses quoted cells, every separator, line endings and empty lines', () => {
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
  assert.deepEqual(
    parseCsv('a,b\r1,2\r\n3,4').map(({ line, cells }) => `${line} ${cells.join('|')}`),
    ['1 a|b', '2 1|2', '3 3|4'],
  )
})

test('loses no line after a quote that is not closed', () => {
  const getCells = (text: string) => parseCsv(text).map(({ line, cells }) => `${line} ${cells.join('|')}`)
  assert.deepEqual(getCells('who,notes\nann,"x, ""y""\nbob,z\n'), [
    '1 who|notes',
    '2 ann|"x| ""y""',
    '3 bob|z',
  ])
  assert.deepEqual(getCells('who\nann\n"'), ['1 who', '2 ann', '3 "'])
  assert.deepEqual(getCells('who\n"ann"'), ['1 who', '2 ann'])
})

test('decodes UTF-8, UTF-16 and Latin-1 text', () => {
  const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding)).buffer
  assert.equal(decodeText(bytes('João', 'utf8')), 'João')
  assert.equal(decodeText(bytes('João', 'latin1')), 'João')
  assert.equal(decodeText(bytes('\uFEFFJoão', 'utf16le')), 'João')
  assert.equal(decodeText(new Uint8Array(Buffer.from('\uFEFFJoão', 'utf16le').swap16()).buffer), 'João')
})

const SHAPE = { columns: ['who', 'first_name', 'desk'], identifying: ['who', 'desk'], limit: 5 } as const

test('matches column names in any order and case, and skips unknown columns', () => {
  assert.deepEqual(readColumns('First name;Age;WHO\nAda ;36;ada\n\n;\nBea', SHAPE), [
    { line: 2, row: { first_name: 'Ada', who: 'ada' } },
    { line: 5, row: { first_name: 'Bea' } },
  ])
})

test('reads the columns that the user chose, where the file has them', () => {
  const file = 'Staff no.;Given name;who\n7;Ada;x'
  assert.deepEqual(getHeaders(file), ['Staff no.', 'Given name', 'who'])
  const chosen = { who: 'Staff no.', first_name: 'Given name' }
  assert.deepEqual(readColumns(file, SHAPE, chosen), [{ line: 2, row: { who: '7', first_name: 'Ada' } }])
  assert.deepEqual(readColumns(file, SHAPE, { who: 'Another' }), [{ line: 2, row: { who: 'x' } }])
  assert.deepEqual(readColumns(file, SHAPE, { who: '' }), [])
})

test('recognises other usual names of a column', () => {
  const shape = { ...SHAPE, synonyms: { who: ['staff_no', 'matricula'], desk: ['department'] } }
  assert.deepEqual(readColumns('Staff no.;Department\n7;East', shape), [
    { line: 2, row: { who: '7', desk: 'East' } },
  ])
  assert.deepEqual(readColumns('Matrícula\n7', shape), [{ line: 2, row: { who: '7' } }])
})

test('returns no rows without an identifying column', () => {
  assert.deepEqual(readColumns('first_name\nAda', SHAPE), [])
  assert.deepEqual(readColumns('desk\n7', SHAPE), [{ line: 2, row: { desk: '7' } }])
})

test('keeps empty cells, cuts long ones and collapses spaces', () => {
  assert.deepEqual(readColumns('who,first_name\n,"A\n b"\nabcdefg,', SHAPE), [
    { line: 2, row: { who: '', first_name: 'A b' } },
    { line: 3, row: { who: 'abcde', first_name: '' } },
  ])
})
