import assert from 'node:assert/strict'
import { it } from 'node:test'
import { traceField } from './trace-context.ts'

it('the trace id of a valid traceparent header is a field of the log line', () => {
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  assert.deepEqual(traceField(`00-${trace_id}-00f067aa0ba902b7-01`), { trace_id })
  for (const invalid of [
    undefined,
    ['a', 'b'],
    'x',
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${trace_id}-${'0'.repeat(16)}-01`,
    `00-${trace_id.toUpperCase()}-00f067aa0ba902b7-01`,
  ])
    assert.deepEqual(traceField(invalid), {})
})
