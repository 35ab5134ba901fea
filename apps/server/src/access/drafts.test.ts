import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allow, roleInput } from '../testing/access-fixture.ts'
import type { Turn } from './draft-queue.ts'
import { compileDraft } from './drafts.ts'
import { compileRights, type Rights } from './rights.ts'

const turn = (client_id: number): Turn => ({ client_id, person: 'ann', kind: 'save' })
const groups = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ group_id: i + 1, group_reference: `Group ${i}`, tags: [] }))
const rightsOf = (n: number): Rights =>
  compileRights({
    epoch: 1,
    is_provider: false,
    groups: groups(n),
    roles: [],
    role_changes: new Map(),
    default_role: null,
    contact: null,
    reasons: null,
    cidr_ranges: [],
  })
const role = (role_reference: string, ...permissions: Parameters<typeof roleInput>[0][number][]) => ({
  role_reference,
  ...roleInput(permissions),
  is_system: false,
})

describe('drafts of roles', () => {
  it('compile to the same result as the saved role', async () => {
    const rights = rightsOf(50)
    const draft = role('Draft', {
      actions_matching: ['payloads:*'],
      conditions: [{ names_matching: ['Group .?7'], is_regex: true }],
    })
    const { compiled, preview } = await compileDraft(turn(1), draft, rights)
    const saved = compileRights({ ...rights.source, roles: [draft] }, rights).roles.get('Draft')
    assert.deepEqual({ ...compiled, groupIndex: undefined }, { ...saved, groupIndex: undefined })
    assert.equal(compiled.groupIndex, rights.groupIndex)
    assert.deepEqual(preview.groups.count, 5)
  })

  it('are not compiled again when they are saved, unless groups or permissions change', async () => {
    const rights = rightsOf(20)
    const document = role('Draft', allow('payloads:list'))
    const { compiled } = await compileDraft(turn(1), document, rights)
    const stored = { ...rights.source, roles: [document] }
    const saved = { document, compiled }
    const found = (source: Rights['source']) => compileRights(source, rights, saved).roles.get('Draft')
    assert.equal(found(stored), compiled)
    assert.notEqual(found({ ...stored, groups: groups(21) }), compiled)
    const other = role('Draft', allow('payloads:play'))
    assert.deepEqual([...(found({ ...stored, roles: [other] })?.allow.keys() ?? [])], ['payloads:play'])
  })

  it('count only the groups of the client that they belong to', async () => {
    const [few, many] = [rightsOf(3), rightsOf(300)]
    const draft = role('Draft', {
      actions_matching: ['payloads:list'],
      conditions: [{ names_matching: ['*'] }],
    })
    const counts = await Promise.all(
      [few, many, few, many].map(
        async (rights) => (await compileDraft(turn(1), draft, rights)).preview.groups.count,
      ),
    )
    assert.deepEqual(counts, [3, 300, 3, 300])
  })

  it('are rejected as too complex when they compile too slowly, and others still compile', async () => {
    const rights = rightsOf(10_000)
    const slow = role(
      'Slow',
      ...Array.from({ length: 20 }, () => ({
        actions_matching: ['payloads:list'],
        conditions: [
          {
            is_regex: true,
            names_matching: Array.from({ length: 40 }, (_, i) => `(.*${i}){2}(.{0,20}x){3}|.*Z`),
          },
        ],
      })),
    )
    const [late, next] = await Promise.all([
      compileDraft(turn(1), slow, rights, 200),
      compileDraft(turn(2), role('Next', allow('payloads:list')), rights),
    ])
    assert.deepEqual(
      late.preview.problems.map(({ path, code }) => [path, code]),
      [['permissions', 'pattern_too_complex']],
    )
    assert.equal(late.compiled.allow.size, 0)
    assert.equal(next.preview.groups.count, 10_000)
  })
})
