import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bytesOf } from '../../testing/media-files.ts'
import { readFixture, type ReadFixture } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'

/** May list and open payloads, but not read their content. */
const LISTER = {
  role_reference: 'Lister',
  permissions: [{ actions_matching: ['payloads:list', 'payloads:read'] }],
  payload_types: ['Diagnostics'],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
  is_system: false,
}

describe('archive contents', () => {
  let fixture: ReadFixture
  let bundle = ''
  before(async () => {
    fixture = await readFixture()
    await fixture.acme.add(300, seeded(8))
    await fixture.ctx.db.owner.query(`insert into roles values ($1, 'Lister', $2, 0, 't')`, [
      fixture.acme.client_id,
      JSON.stringify(LISTER),
    ])
    fixture.roles.set('lister', ['Lister'])
    const [first] = fixture.acme.payloads.filter(
      (p) => p.payload_type === 'Diagnostics' && p.payload_state === 'Processed',
    )
    bundle = first?.payload_reference ?? ''
    await fixture.store(bundle, 'original', 'application/zip', bytesOf('formats/bundle.zip'))
  })
  after(() => fixture.close())

  const ask = (user: string, reference: string) =>
    fixture.get(user, `/client/v1/api/payloads/${reference}/contents`)

  it('are listed for users who may download the archive', async () => {
    const { status, body } = await ask('ann', bundle)
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.format, 'zip')
    assert.ok((body.entries as { name: string }[]).length > 0)
  })

  it('return 404 for all other users, as for an unknown archive', async () => {
    const missing = await ask('ann', 'z'.repeat(26))
    for (const { status, body } of [missing, await ask('lister', bundle), await ask('eve@other', bundle)])
      assert.deepEqual([status, body.code], [404, missing.body.code])
  })
})
