import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allow, roleInput } from '../testing/access-fixture.ts'
import { compileDraft } from '../access/drafts.ts'
import { compileRights } from '../access/rights.ts'
import { carryDraft } from './draft.ts'

const rightsOf = (...numbers: number[]) =>
  compileRights({
    epoch: 1,
    is_provider: false,
    groups: numbers.map((n) => ({ group_id: n, group_reference: `Group ${n}`, tags: [] })),
    roles: [],
    role_changes: new Map(),
    default_role: null,
    contact: null,
    reasons: null,
    cidr_ranges: [],
  })

const role = {
  role_reference: 'Draft',
  ...roleInput([
    { actions_matching: ['payloads:*'], conditions: [{ names_matching: ['*3', '*7'] }] },
    allow('groups:list'),
  ]),
  is_system: false,
}
const draftFor = async (rights: ReturnType<typeof rightsOf>) => {
  const draft = await compileDraft({ client_id: 1, person: 'ann', kind: 'save' }, role, rights)
  return { ...draft, role, problems: draft.preview.problems }
}

describe('a compiled role draft', () => {
  it('gives the same result as a new compilation after it is adjusted to changed groups', async () => {
    const rights = rightsOf(1, 2, 4, 5, 7, 8, 13)
    const carried = carryDraft(await draftFor(rightsOf(1, 2, 3, 4, 5, 7)), rights)
    assert.deepEqual(carried?.compiled, (await draftFor(rights)).compiled)
    const saved = { document: role, compiled: carried.compiled }
    const stored = compileRights({ ...rights.source, roles: [role] }, rights, saved)
    assert.equal(stored.roles.get('Draft'), carried.compiled)
  })

  it('is not adjusted when most groups differ', async () => {
    const many = Array.from({ length: 50 }, (_, i) => i + 1)
    assert.equal(carryDraft(await draftFor(rightsOf(1)), rightsOf(...many)), undefined)
  })
})
