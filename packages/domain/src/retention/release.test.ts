import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DESTRUCTION_ITEM_STATES, DESTRUCTION_STATES } from '@custodia/contract'
import { movedItem, refuseRelease } from './release.ts'

describe('a destruction list', () => {
  const facts = { state: 'waiting', authors: ['alice'], is_current: true } as const

  it('is released only by a person who wrote none of its policies and saw its current state', () => {
    assert.equal(refuseRelease(facts, { by: 'ines', kind: 'person' }), undefined)
    assert.equal(refuseRelease(facts, { by: 'alice', kind: 'person' }), 'same_person')
    assert.equal(refuseRelease(facts, { by: 'robot', kind: 'app' }), 'no_person')
    assert.equal(refuseRelease({ ...facts, is_current: false }, { by: 'ines', kind: 'person' }), 'changed')
    for (const state of DESTRUCTION_STATES)
      if (state !== 'waiting')
        assert.equal(refuseRelease({ ...facts, state }, { by: 'ines', kind: 'person' }), 'not_waiting')
  })

  it('lets listed items be taken out and only those be put back', () => {
    for (const list of DESTRUCTION_STATES)
      for (const item of DESTRUCTION_ITEM_STATES) {
        assert.equal(movedItem(item, list, true), item === 'listed' ? 'taken_out' : undefined)
        const isOpen = list === 'waiting' || list === 'gathering'
        const back = isOpen ? 'listed' : 'put_back'
        assert.equal(movedItem(item, list, false), item === 'taken_out' ? back : undefined)
      }
  })
})
