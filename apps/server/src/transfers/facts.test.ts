import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migration } from '@custodia/domain'
import type { ItemPayload } from './item-store.ts'
import { csvReport } from './facts.ts'

async function* whole(text: string) {
  yield text
}

test('no cell of a report is a formula, or ends its cell or its line', async () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝']) {
    const hostile = `${begin}cmd|"/c calc"!A1,2\r\nb`
    const payload: ItemPayload = {
      payload_id: 1,
      payload_reference: 'P1',
      payload_type: 'SMS',
      payload_time: 0,
      payload_end_time: null,
      processed_at: null,
      device_reference: hostile,
      device_user_reference: hostile,
      group: hostile,
      is_late: false,
    }
    const rows = []
    for await (const { cells } of migration.csvLines(whole(csvReport([payload]).toString()))) rows.push(cells)
    const [heading = [], row = [], ...others] = rows
    assert.deepEqual(others, [])
    assert.equal(row.length, heading.length)
    for (const column of ['device_reference', 'device_user_reference', 'group'])
      assert.equal(row[heading.indexOf(column)], `'${hostile}`)
  }
})
