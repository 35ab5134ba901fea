import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHolderRows } from './read-holder-rows.ts'

test('a file of serial numbers is read line by line, with whose they are where it says so', () => {
  assert.deepEqual(readHolderRows('Serial number;device_user_reference\nR5C1 ;ana\n\n;\nR5C2;\n'), [
    { line: 2, row: { serial_number: 'R5C1', device_user_reference: 'ana' } },
    { line: 5, row: { serial_number: 'R5C2' } },
  ])
  assert.deepEqual(readHolderRows('device-reference\nD1'), [{ line: 2, row: { device_reference: 'D1' } }])
  assert.deepEqual(readHolderRows('name,imei\nx,1'), [])
  assert.equal(readHolderRows(`serial_number\n${'x'.repeat(300)}`)[0]?.row.serial_number?.length, 255)
})
