import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { migration } from '@custodia/domain'
import type { ItemPayload } from './item-store.ts'
import { csvReport, jsonReport } from './facts.ts'

async function* whole(text: string) {
  yield text
}

async function* pages(...each: ItemPayload[][]) {
  yield* each
}

const PAYLOAD: ItemPayload = {
  payload_id: 1,
  payload_reference: 'P1',
  payload_type: 'SMS',
  payload_time: 0,
  payload_end_time: null,
  processed_at: null,
  device_reference: 'D',
  device_user_reference: null,
  group_id: 1,
  group: 'one\ntwo',
  is_late: false,
}

test('a report in pages is the same text as in one page', async () => {
  const run = { report_from: null, report_to: 0 }
  const [a, b, c] = ['A', 'B', 'C'].map((payload_reference) => ({ ...PAYLOAD, payload_reference }))
  assert.ok(a && b && c)
  for (const each of [[], [[a]], [[a, b], [c]]]) {
    const json = await text(jsonReport(run, pages(...each)))
    assert.equal(json, `${JSON.stringify(JSON.parse(json), undefined, 2)}\n`)
    const result = JSON.parse(json) as { payloads: { payload_reference: string }[] }
    assert.deepEqual(
      result.payloads.map(({ payload_reference }) => payload_reference),
      each.flat().map(({ payload_reference }) => payload_reference),
    )
    assert.equal(await text(csvReport(pages(...each))), await text(csvReport(pages(each.flat()))))
  }
})

test('a report contains no formulas, and no cell breaks its row', async () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝']) {
    const hostile = `${begin}cmd|"/c calc"!A1,2\r\nb`
    const payload = { ...PAYLOAD, device_reference: hostile, device_user_reference: hostile, group: hostile }
    const rows = []
    for await (const { cells } of migration.csvLines(whole(await text(csvReport(pages([payload]))))))
      rows.push(cells)
    const [heading = [], row = [], ...others] = rows
    assert.deepEqual(others, [])
    assert.equal(row.length, heading.length)
    for (const column of ['device_reference', 'device_user_reference', 'group'])
      assert.equal(row[heading.indexOf(column)], `'${hostile}`)
  }
})
