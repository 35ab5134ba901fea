import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  callMeta,
  conferenceMeta,
  interviewMeta,
  messageMeta,
  olderMessageMeta,
  photoMeta,
} from './metas.test-support.ts'
import { partyNumbers } from './numbers.ts'

describe('party numbers', () => {
  it('list the device’s own number first', () => {
    assert.deepEqual(partyNumbers(callMeta), {
      all: ['+353871234567', '+442071234567'],
      second_party: ['+442071234567'],
      all_numbers: '+353871234567,+442071234567',
      second_party_numbers: '+442071234567',
    })
  })
  it('are trimmed and unique, without withheld numbers', () => {
    assert.equal(partyNumbers(conferenceMeta).second_party_numbers, '+441,+442,+443')
  })
  it('treat a sender name with a comma as one entry', () => {
    const { second_party, all_numbers } = partyNumbers(messageMeta)
    assert.deepEqual(second_party, ['ACME, Inc', '+353871234567'])
    assert.equal(all_numbers, '+353871234567,ACME  Inc')
  })
  it('read the older form of messages', () => {
    assert.deepEqual(partyNumbers(olderMessageMeta).second_party, ['50123'])
  })
  it('hold only the own number, or none, for recordings without a second party', () => {
    assert.equal(partyNumbers(interviewMeta).all_numbers, '+353871234567')
    assert.equal(partyNumbers(interviewMeta).second_party_numbers, '')
    assert.deepEqual(partyNumbers(photoMeta), {
      all: [],
      second_party: [],
      all_numbers: '',
      second_party_numbers: '',
    })
  })
})
