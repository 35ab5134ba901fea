import assert from 'node:assert/strict'
import { it } from 'node:test'
import { outcomesIn } from './smoke.ts'

it('reads the outcome of each bench from the output of a run', () => {
  const output = 'Lists\n\nok      bench lists (3.2 s)\nFAILED  bench report-ingest: it broke: twice\n'
  const outcomes = new Map(outcomesIn(output).map(({ name, error }) => [name, error]))
  assert.equal(outcomes.get('lists'), undefined)
  assert.equal(outcomes.get('report-ingest'), 'it broke: twice')
  assert.equal(outcomes.get('map'), 'did not finish')
})
