import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PAYLOAD_STATES, PAYLOAD_TYPES, SERVICES } from '@custodia/contract'
import { transitionRows } from '@custodia/domain'
import { testDatabase, type TestDatabase } from '../testing/database.ts'
import {
  SERVICE_CODES,
  serviceCodeOf,
  serviceOfCode,
  STATE_CODES,
  stateOfCode,
  TYPE_CODES,
  typeOfCode,
} from '../payload-records/codes.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

const rows = async (text: string): Promise<unknown[]> => (await database.db.owner.query(text)).rows

test('the codes of states, types and services match the database', async () => {
  const states = Object.entries(STATE_CODES).map(([name, code]) => ({ code, name }))
  assert.deepEqual(await rows('select code, name from payload_states order by code'), states)
  const types = Object.entries(TYPE_CODES).map(([name, code]) => ({
    code,
    name,
    service: serviceCodeOf(name as keyof typeof TYPE_CODES),
  }))
  assert.deepEqual(await rows('select code, name, service from payload_types order by code'), types)
})

test('every code maps back to its name, and unknown codes throw', () => {
  for (const name of PAYLOAD_STATES) assert.equal(stateOfCode(STATE_CODES[name]), name)
  for (const name of PAYLOAD_TYPES) assert.equal(typeOfCode(TYPE_CODES[name]), name)
  for (const name of SERVICES) assert.equal(serviceOfCode(SERVICE_CODES[name]), name)
  assert.throws(() => stateOfCode(0))
  assert.throws(() => typeOfCode(11))
  assert.throws(() => serviceOfCode(7))
})

test('the database allows exactly the state transitions of the domain', async () => {
  const stored = await rows(
    `select f.name as from_state, t.name as to_state from payload_transitions
     join payload_states f on f.code = from_state join payload_states t on t.code = to_state
     order by f.name collate "C", t.name collate "C"`,
  )
  assert.deepEqual(
    stored,
    transitionRows().filter(({ from_state }) => from_state !== null),
  )
})
