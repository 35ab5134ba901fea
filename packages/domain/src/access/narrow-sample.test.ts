import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { indexGroups, narrowSample } from './group-index.ts'

const groupIndex = indexGroups(
  Array.from({ length: 50 }, (_, i) => ({ group_id: i, group_reference: `Group ${i}`, tags: [] })),
)
const seesLast = ({ group_id }: { group_id: number }) => group_id >= 30

describe('a group sample for a reader of some groups', () => {
  it('names and counts only the visible groups', () => {
    const sample = groupIndex.sample(groupIndex.where(({ group_id }) => group_id % 2 === 0))
    assert.deepEqual([sample.count, sample.first.includes('Group 48')], [25, false])
    const narrow = narrowSample(sample, seesLast)
    const first = Array.from({ length: 10 }, (_, i) => `Group ${30 + 2 * i}`)
    assert.deepEqual(narrow, { is_all: false, count: 10, first, is_partial: true })
    const again = narrowSample(narrow, ({ group_id }) => group_id === 48)
    assert.deepEqual([again.count, again.first], [1, ['Group 48']])
  })

  it('keeps is_all when the sample covers all groups', () => {
    assert.deepEqual(
      narrowSample(groupIndex.sample(groupIndex.everything), () => false),
      {
        is_all: true,
        count: 0,
        first: [],
        is_partial: true,
      },
    )
  })

  it('drops unknown groups', () => {
    const foreign = { is_all: false, count: 2, first: ['Group 40', 'Group 41'] }
    assert.deepEqual(narrowSample(foreign, () => true).count, 0)
  })
})
