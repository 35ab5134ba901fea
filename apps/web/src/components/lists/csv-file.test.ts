import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvColumns } from './column-settings.ts'
import { CSV_LIMIT, csvOfPages, csvOfRows } from './csv-file.ts'
import type { CsvColumn, ListColumn, Paging } from './list-definition.ts'

interface Line {
  id: number
  name: string
}
const en = { locale: 'en-GB', _: (label: unknown) => (label as { id: string }).id } as never
const pt = { locale: 'pt-BR', _: (label: unknown) => (label as { id: string }).id } as never
const columns: readonly CsvColumn<Line>[] = [
  { label: { id: 'Id' }, value: ({ id }) => id },
  { label: { id: 'Name' }, value: ({ name }) => name },
]

/** A list of `total` rows, read by offset. */
const getList =
  (total: number, asked: Paging[] = []) =>
  async (paging: Paging) => {
    asked.push(paging)
    const from = Number(paging.last_key ?? 0)
    const data = Array.from({ length: Math.min(paging.limit, total - from) }, (_, index) => ({
      id: from + index,
      name: `=${from + index}`,
    }))
    const next = from + data.length
    return { count: data.length, data, ...(next < total ? { last_key: String(next) } : {}) }
  }

test('the file begins with the UTF-8 byte order mark and the column names', () => {
  assert.equal(csvOfRows([{ id: 1, name: 'Ana' }], columns, en).join(''), '\uFEFFId,Name\r\n1,Ana\r\n')
  assert.equal(csvOfRows([{ id: 1, name: '@x' }], columns, pt).join(''), "\uFEFFId;Name\r\n1;'@x\r\n")
})

test('a unit follows the name of its column', () => {
  const seen: CsvColumn<Line> = { label: { id: 'Seen' }, unit: 'UTC', value: () => undefined }
  assert.equal(csvOfRows([], [seen], pt).join(''), '\uFEFFSeen (UTC)\r\n')
})

test('all pages are read in order with progress reports', async () => {
  const progress: number[] = []
  const file = await csvOfPages(getList(450), columns, en, new AbortController().signal, (rows) =>
    progress.push(rows),
  )
  assert.deepEqual(progress, [200, 400, 450])
  assert.equal(file.isCut, false)
  const text = file.parts.join('').split('\r\n')
  assert.equal(text.length, 452)
  assert.equal(text[450], "449,'=449")
})

test('the file is cut at its row limit and marked as cut', async () => {
  const asked: Paging[] = []
  const file = await csvOfPages(
    getList(CSV_LIMIT + 1, asked),
    columns,
    en,
    new AbortController().signal,
    () => {},
  )
  assert.equal(file.rows, CSV_LIMIT)
  assert.equal(file.isCut, true)
  assert.equal(asked.length, CSV_LIMIT / 200)
})

test('a cancelled export stops requesting pages', async () => {
  const cancel = new AbortController()
  const asked: Paging[] = []
  const file = csvOfPages(getList(5_000, asked), columns, en, cancel.signal, (rows) => {
    if (rows >= 400) cancel.abort()
  })
  await assert.rejects(file, { name: 'AbortError' })
  assert.equal(asked.length, 2)
})

test('the file has the fixed columns first, then the visible ones', () => {
  const shown = [{ csv: columns }, { csv: [] }, {}] as unknown as ListColumn<Line>[]
  const always = [{ label: { id: 'Key' }, value: () => 'k' }]
  assert.deepEqual(
    csvColumns({ columns: [], csvAlways: always }, shown).map(({ label }) => label.id),
    ['Key', 'Id', 'Name'],
  )
})

test('a whole-list file has every column, including hidden ones', () => {
  const all = [{ csv: columns.slice(0, 1) }, { csv: columns.slice(1) }] as unknown as ListColumn<Line>[]
  const labels = (isCsvWhole: boolean) =>
    csvColumns({ columns: all, isCsvWhole }, all.slice(1)).map(({ label }) => label.id)
  assert.deepEqual(labels(true), ['Id', 'Name'])
  assert.deepEqual(labels(false), ['Name'])
})
