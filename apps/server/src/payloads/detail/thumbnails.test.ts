import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { exifJpeg } from '@custodia/simulator'
import { readFixture, type ReadFixture } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'

const CLIENT = '/client/v1/api'
const SMALL = Buffer.from('a small picture')
const PLACE = { latitude: 51.5, longitude: -0.12 }
/** May list and open payloads, but not read their content. */
const LISTER = {
  role_reference: 'Lister',
  permissions: [{ actions_matching: ['payloads:list', 'payloads:read'] }],
  payload_types: ['Photo', 'Call'],
  cidr_ranges: [],
  alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
  is_alertable: false,
  is_system: false,
}

describe('thumbnails', () => {
  let fixture: ReadFixture
  let photo = ''
  let bare = ''
  let unprepared = ''
  before(async () => {
    fixture = await readFixture()
    await fixture.acme.add(300, seeded(8))
    await fixture.ctx.db.owner.query(`insert into roles values ($1, 'Lister', $2, 0, 't')`, [
      fixture.acme.client_id,
      JSON.stringify(LISTER),
    ])
    fixture.roles.set('lister', ['Lister'])
    const photos = fixture.acme.payloads.filter(
      (p) => p.payload_type === 'Photo' && p.payload_state === 'Processed',
    )
    photo = photos[0]?.payload_reference ?? ''
    bare = photos[1]?.payload_reference ?? ''
    unprepared = photos[2]?.payload_reference ?? ''
    const exif = exifJpeg({ location: PLACE, taken_at: '2026-11-02T09:00:00' }, 'MM')
    await fixture.store(photo, 'original', 'image/jpeg', exif, { is_playable: true })
    await fixture.store(photo, 'thumbnail', 'image/jpeg', SMALL)
    await fixture.store(bare, 'original', 'image/jpeg', Buffer.from('\xff\xd8', 'latin1'), {
      is_playable: true,
    })
    await fixture.store(unprepared, 'original', 'image/jpeg', exif, {
      is_playable: true,
      being_prepared: true,
    })
  })
  after(() => fixture.close())

  const ask = async (user: string, ...references: string[]) => {
    const query = references.map((reference, i) => `payload_references[${i}]=${reference}`).join('&')
    const { status, body } = await fixture.get(user, `${CLIENT}/thumbnails?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.data as { status: string; jpeg?: string }[]
  }

  it('are returned with a status each, and only to users who may see the photo', async () => {
    const [drawn, without, missing, later] = await ask('ann', photo, bare, 'z'.repeat(26), unprepared)
    assert.deepEqual(Buffer.from(drawn?.jpeg ?? '', 'base64'), SMALL)
    assert.deepEqual(without, { payload_reference: bare, status: 'Ok' })
    assert.equal(missing?.status, 'NoMatchingRecord')
    assert.deepEqual(later, { payload_reference: unprepared, status: 'Ok', being_prepared: true })
    const [foreign] = await ask('eve@other', photo)
    assert.deepEqual(foreign, { payload_reference: photo, status: 'NoMatchingRecord' })
    const [unseen] = await ask('lister', photo)
    assert.equal(unseen?.status, 'GroupNotAuthorised')
    assert.equal(unseen?.jpeg, undefined)
    await fixture.setState(photo, 'Quarantined')
    const [held] = await ask('ann', photo)
    assert.deepEqual(held, { payload_reference: photo, status: 'NoS3Url' })
    await fixture.setState(photo, 'Processed')
  })

  it('are logged as payloads:list, and not as a play of the photo', async () => {
    const played = async () => {
      const { body } = await fixture.get('ann', `${CLIENT}/payloads/${photo}/audit`)
      return (body.records as { action: string }[]).filter(({ action }) => action === 'payloads:play').length
    }
    const before = await played()
    await ask('ben', photo, bare)
    assert.equal(await played(), before)
    const { rows } = await fixture.ctx.db.owner.query<{ action: string; parameters: string }>(
      `select action, parameters::text as parameters from portal_activities where user_reference = 'ben' order by log_id desc limit 1`,
    )
    assert.equal(rows[0]?.action, 'payloads:list')
    assert.ok(rows[0]?.parameters.includes(photo))
  })

  it('the EXIF data of a photo is returned only to users who may see the photo', async () => {
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${photo}`)
    const { in_file } = body.media as { in_file?: { location: object; taken_at: string } }
    assert.deepEqual(in_file?.location, PLACE)
    assert.equal(in_file?.taken_at, '2026-11-02T09:00:00')
    const hidden = await fixture.get('lister', `${CLIENT}/payloads/${photo}`)
    assert.equal((hidden.body.media as { in_file?: object }).in_file, undefined)
  })
})
