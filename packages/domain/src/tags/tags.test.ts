import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BrokenGroup } from '@custodia/contract'
import type { GroupTag, TagDefinition } from '@custodia/contract'
import fc from 'fast-check'
import { applyDefinition, breaks, checkGroupTags, checkTagDefinition, completeTags } from './tags.ts'

const definition = (rest: Partial<TagDefinition> = {}): TagDefinition => ({
  tag_key: 'Region',
  tag_values: ['North', 'South'],
  is_required: false,
  default_value: null,
  ...rest,
})
const tag = (key: string, value: string): GroupTag => ({ key, value })
const codes = (faults: { path: string; code: string }[]) => faults.map(({ path, code }) => `${path} ${code}`)

describe('a tag definition', () => {
  const table: [string, Partial<TagDefinition>, string[]][] = [
    ['lists values', {}, []],
    ['takes any value', { tag_values: null, default_value: 'anything' }, []],
    ['takes no value', { tag_values: [] }, []],
    ['is required and has a default', { is_required: true, default_value: 'North' }, []],
    ['is required and takes any value', { is_required: true, tag_values: null, default_value: 'x' }, []],
    ['is required without a default', { is_required: true }, ['default_value requires_default']],
    [
      'is required and takes no value',
      { is_required: true, tag_values: [], default_value: 'North' },
      ['tag_values values_empty', 'default_value default_not_in_values'],
    ],
    ['has a default outside its values', { default_value: 'West' }, ['default_value default_not_in_values']],
    [
      'takes no value but has a default',
      { tag_values: [], default_value: '' },
      ['default_value default_not_in_values'],
    ],
  ]
  for (const [name, rest, faults] of table) {
    it(`${faults.length ? 'is refused' : 'is accepted'} when it ${name}`, () => {
      assert.deepEqual(codes(checkTagDefinition(definition(rest))), faults)
    })
  }
})

describe('group tags', () => {
  const required = definition({ is_required: true, default_value: 'North' })
  it('are free for keys without a definition', () => {
    assert.deepEqual(checkGroupTags([tag('region', 'x'), tag('Desk', 'FX')], [definition()]), [])
  })
  it('must have an allowed value for a defined key', () => {
    const tags = [tag('Desk', 'FX'), tag('Region', 'West')]
    assert.deepEqual(codes(checkGroupTags(tags, [definition()])), ['tags.1.value tag_value'])
    assert.deepEqual(codes(checkGroupTags(tags, [definition({ tag_values: [] })])), [
      'tags.1.value tag_value',
    ])
    assert.deepEqual(checkGroupTags(tags, [definition({ tag_values: null })]), [])
  })
  it('have one value per key', () => {
    for (const second of ['North', 'South']) {
      const tags = [tag('Region', 'North'), tag('Desk', 'FX'), tag('Region', second)]
      assert.deepEqual(codes(checkGroupTags(tags, [required])), ['tags.2.key tag_repeated'])
    }
  })
  it('get the default of a missing required tag', () => {
    assert.deepEqual(codes(checkGroupTags([], [required])), ['tags tag_missing'])
    assert.deepEqual(completeTags([], [required, definition({ tag_key: 'Desk' })]), [tag('Region', 'North')])
    assert.deepEqual(completeTags([tag('Region', 'South')], [required]), [tag('Region', 'South')])
  })
})

describe('a tag definition applied to groups', () => {
  const groups = [
    { group_reference: 'Fits', tags: [tag('Region', 'North')] },
    { group_reference: 'Lacks', tags: [tag('Desk', 'FX')] },
    { group_reference: 'Strays', tags: [tag('Desk', 'FX'), tag('Region', 'West')] },
  ]
  const required = definition({ is_required: true, default_value: 'South' })

  it('names the groups that it changes and their new values', () => {
    assert.deepEqual(breaks(required, groups), [
      { group_reference: 'Lacks', problem: 'missing', value: null, becomes: 'South' },
      { group_reference: 'Strays', problem: 'value', value: 'West', becomes: 'South' },
    ])
    assert.deepEqual(breaks(definition(), groups), [
      { group_reference: 'Strays', problem: 'value', value: 'West', becomes: null },
    ])
    for (const broken of breaks(required, groups)) assert.deepEqual(BrokenGroup.parse(broken), broken)
  })

  const value = fc.constantFrom('North', 'South', 'West', '')
  const anyTags = fc.uniqueArray(fc.record({ key: fc.constantFrom('Region', 'Desk', 'Site'), value }), {
    maxLength: 6,
    selector: ({ key }) => key,
  })
  const anyDefinition = fc
    .record({
      tag_key: fc.constant('Region'),
      tag_values: fc.option(fc.uniqueArray(value, { maxLength: 3 }), { nil: null }),
      is_required: fc.boolean(),
      default_value: fc.option(value, { nil: null }),
    })
    .filter((each) => checkTagDefinition(each).length === 0)

  it('corrects every invalid tag and leaves other tags unchanged', () => {
    fc.assert(
      fc.property(anyTags, anyDefinition, (tags, forced) => {
        const mended = applyDefinition(tags, forced)
        const broken = breaks(forced, [{ group_reference: 'It', tags }])
        assert.deepEqual(breaks(forced, [{ group_reference: 'It', tags: mended }]), [])
        assert.deepEqual(checkGroupTags(mended, [forced]), [])
        const others = (list: GroupTag[]) => list.filter(({ key }) => key !== forced.tag_key)
        assert.deepEqual(others(mended), others(tags))
        if (broken.length === 0) assert.deepEqual(mended, tags)
        for (const { becomes } of broken) {
          if (becomes !== null)
            assert.ok(mended.some((each) => each.key === 'Region' && each.value === becomes))
        }
      }),
      { numRuns: 2000 },
    )
  })
})
