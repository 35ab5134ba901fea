import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationResult } from '@custodia/contract'
import { migration } from '@custodia/domain'
import { RESULTS_HEADING, resultLine } from './folder.ts'

const RESULT: MigrationResult = {
  sequence: 1,
  result_type: 'Error',
  result_class: 'error',
  kind: 'Payload',
  item: 'L1',
  filename: 'payloads.csv',
  line: 2,
  payload_reference: null,
  faults: [],
}
async function* whole(text: string) {
  yield text
}

test('the results CSV contains no formulas, and no cell breaks its row', async () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝'])
    for (const rest of ['cmd|"/c calc"!A1', '1+1,2', 'a\r\nb']) {
      const hostile = begin + rest
      const fault = { path: hostile, code: 'invalid' as const, message: 'is "wrong"' }
      const line = resultLine({ ...RESULT, item: hostile, filename: hostile, faults: [fault] })
      const rows = []
      for await (const { cells } of migration.csvLines(whole(`${RESULTS_HEADING}\n${line}\n`)))
        rows.push(cells)
      const [heading = [], row = [], ...others] = rows
      assert.deepEqual(others, [])
      assert.equal(row.length, heading.length)
      for (const cell of row) assert.doesNotMatch(cell, /^[=+\-@\t\r\n＝]/)
      assert.equal(row[heading.indexOf('item')], `'${hostile}`)
      assert.equal(row[heading.indexOf('faults')], `'${hostile}: is "wrong"`)
    }
})
