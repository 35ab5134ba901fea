import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { exifJpeg } from '@custodia/simulator'
import { roleInput } from '../../testing/access-fixture.ts'
import { getBytes } from '../../testing/media-files.ts'
import { readFixture } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { findDataSubjects } from '../store.ts'
import { readInFile } from './read-store.ts'

const CLIENT = '/client/v1/api'
/** May see conversations but not open payloads. */
const WATCHER = {
  role_reference: 'Watcher',
  ...roleInput([{ actions_matching: ['devices.sms:read'] }]),
  is_system: false,
}

/** May list and open payloads, but not read their content. */
const LISTER = {
  role_reference: 'Lister',
  ...roleInput([{ actions_matching: ['payloads:list', 'payloads:read'] }], {
    payload_types: ['Diagnostics', 'Photo', 'Call'],
  }),
  is_system: false,
}

const fixture = await readFixture()
await fixture.acme.add(700, seeded(6))
for (const role of [WATCHER, LISTER])
  await fixture.ctx.db.owner.query(`insert into roles values ($1, $2, $3, 0, 't')`, [
    fixture.acme.client_id,
    role.role_reference,
    JSON.stringify(role),
  ])
fixture.roles.set('lister', ['Lister'])
after(() => fixture.close())

/** Fields of a payload by section 3 of the specification that may be unset. */
const OF_SPECIFICATION = [
  'device_user_reference',
  'device_ip',
  'key_id',
  'encrypted_dek',
  's3_path',
  'meta',
  'checksum',
  'legacy_payload_reference',
  'legacy_processed_time',
  'all_numbers',
  'second_party_numbers',
  'uploaded_at',
  'processed_at',
  'transferred_at',
  'receipt_confirmed_at',
  'receipt_confirmed_by',
  'updated_by',
]

describe('the payload API', () => {
  it('returns each payload with the fields of its list row, and more', async () => {
    const { body } = await fixture.get('ann', `${CLIENT}/payloads?limit=200`)
    const rows = body.data as Record<string, unknown>[]
    assert.ok(rows.length > 50)
    for (const row of rows.slice(0, 40)) {
      const { status, body: payload } = await fixture.get(
        'ann',
        `${CLIENT}/payloads/${String(row.payload_reference)}`,
      )
      assert.equal(status, 200, JSON.stringify(payload))
      for (const [field, value] of Object.entries(row)) assert.deepEqual(payload[field], value, field)
      assert.ok('announced_at' in payload)
      for (const field of OF_SPECIFICATION) assert.ok(field in payload, `${field} is null when it is unset`)
      if (payload.s3_path !== null) assert.match(String(payload.s3_path), /^s3:\/\/local\/acme\//)
    }
  })

  it('returns the playable media and its waveform', async () => {
    const call = fixture.acme.payloads.find(
      (p) => p.payload_type === 'Call' && p.payload_state === 'Processed',
    )
    const reference = call?.payload_reference ?? ''
    const peaks = { duration: 2, peaks: [-5, 5, -128, 127], silences: [[0.5, 1.5]] }
    await fixture.store(reference, 'original', 'audio/amr', Buffer.from('amr'), {
      is_playable: false,
      duration: 2,
      codec: 'amr_nb',
    })
    await fixture.store(reference, 'playback', 'audio/mp4', Buffer.from('mp4'))
    await fixture.store(reference, 'peaks', 'application/json', Buffer.from(JSON.stringify(peaks)))
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${reference}`)
    assert.deepEqual(body.media, {
      content_type: 'audio/amr',
      size: 3,
      duration: 2,
      codec: 'amr_nb',
      is_playable: true,
      playback: 'rendition',
      playback_content_type: 'audio/mp4',
      has_peaks: true,
      being_prepared: false,
    })
    assert.deepEqual((await fixture.get('ann', `${CLIENT}/payloads/${reference}/peaks`)).body, peaks)
    await fixture.setState(reference, 'Deleted')
    assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${reference}/peaks`)).status, 404)
    assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${reference}`)).body.media, undefined)
  })

  it('reports that a recording is being prepared, and offers its original for download', async () => {
    const calls = fixture.acme.payloads.filter(
      (p) => p.payload_type === 'Call' && p.payload_state === 'Processed',
    )
    const reference = calls[1]?.payload_reference ?? ''
    await fixture.store(reference, 'original', 'audio/amr', Buffer.from('amr'), {
      is_playable: false,
      being_prepared: true,
    })
    const { body } = await fixture.get('ann', `${CLIENT}/payloads/${reference}`)
    assert.deepEqual(body.media, {
      content_type: 'audio/amr',
      size: 3,
      is_playable: false,
      has_peaks: false,
      being_prepared: true,
    })
    const data = async (action: string) =>
      (await fixture.get('ann', `${CLIENT}/payloads/${reference}/data?action=${action}`)).body
    const play = await data('play')
    assert.deepEqual([play.status, play.being_prepared, play.content_type], ['Ok', true, 'audio/amr'])
    const download = await data('download')
    assert.deepEqual([download.status, download.being_prepared], ['Ok', undefined])
    assert.equal((await fixture.get('ann', `${CLIENT}/payloads/${reference}/peaks`)).status, 404)
  })

  it('returns a conversation with its texts, and audits each message that is read', async () => {
    const messages = fixture.acme.payloads
      .filter(
        (p) => p.thread_id === '1' && p.payload_state === 'Processed' && p.device_reference === 'phone 0',
      )
      .toSorted((a, b) => b.payload_time - a.payload_time || b.payload_id - a.payload_id)
    assert.ok(messages.length > 2)
    for (const { payload_reference } of messages) {
      await fixture.store(payload_reference, 'original', 'application/json', Buffer.from('{}'))
      const text = {
        text: `text of ${payload_reference}`,
        attachments: [{ name: 'a.txt', content_type: 'text/plain', size: 5, part: 0 }],
      }
      await fixture.store(payload_reference, 'text', 'application/json', Buffer.from(JSON.stringify(text)))
    }
    const url = '/client/v1/api/devices/phone%200/sms/1'
    const shown: Record<string, unknown>[] = []
    for (let last_key: unknown, first = true; first || last_key; first = false) {
      const { status, body } = await fixture.get(
        'ann',
        `${url}?limit=2${last_key ? `&last_key=${String(last_key)}` : ''}`,
      )
      assert.equal(status, 200, JSON.stringify(body))
      shown.push(...(body.data as Record<string, unknown>[]))
      last_key = body.last_key
    }
    const texts = shown.filter((message) => message.text !== undefined)
    assert.deepEqual(
      texts.map((m) => m.text),
      messages.map((m) => `text of ${m.payload_reference}`),
    )
    assert.deepEqual(texts[0]?.attachments, [{ name: 'a.txt', content_type: 'text/plain', size: 5, part: 0 }])
    for (const { payload_reference } of messages) {
      const { body } = await fixture.get('ann', `${CLIENT}/payloads/${payload_reference}/audit`)
      assert.deepEqual(
        (body.records as Record<string, unknown>[]).map(({ portal_user, action }) => [portal_user, action]),
        [['ann', 'devices.sms:read']],
      )
    }
    assert.equal((await fixture.get('ann', '/client/v1/api/devices/missing/sms/1')).status, 404)
    assert.equal((await fixture.get('ann', '/client/v1/api/devices/phone%200/sms/none')).status, 404)
    assert.equal((await fixture.get('eve@other', '/client/v1/api/devices/phone%201/sms/1')).status, 404)
    const total = await fixture.get('ann', `${url}?type=total`)
    assert.deepEqual(total.body, { total: shown.length })
  })

  it('cuts a page to a size that twelve readers can load at once, without opening whole documents', async () => {
    const messages = fixture.acme.payloads
      .filter(
        (p) => p.thread_id === '2' && p.payload_state === 'Processed' && p.device_reference === 'phone 0',
      )
      .slice(0, 30)
    assert.ok(messages.length > 5)
    const text = 'ü'.repeat(300_000)
    for (const { payload_reference } of messages) {
      await fixture.store(payload_reference, 'original', 'application/json', Buffer.from('never opened here'))
      await fixture.store(
        payload_reference,
        'text',
        'application/json',
        Buffer.from(JSON.stringify({ text })),
      )
    }
    const url = '/client/v1/api/devices/phone%200/sms/2?limit=200'
    const pages = await Promise.all(Array.from({ length: 12 }, () => fixture.get('ann', url)))
    for (const { status, body } of pages) {
      assert.equal(status, 200)
      assert.ok(JSON.stringify(body).length < 1_500_000)
      assert.ok(typeof body.last_key === 'string')
    }
    const seen = new Set<unknown>()
    for (let last_key: unknown, first = true; first || last_key; first = false) {
      const { body } = await fixture.get('ann', `${url}${last_key ? `&last_key=${String(last_key)}` : ''}`)
      for (const message of body.data as Record<string, unknown>[])
        if (message.text === text) seen.add(message.payload_reference)
      last_key = body.last_key
    }
    assert.equal(seen.size, messages.length)
  })

  it('omits texts and attachments for users who may see messages but not open them', async () => {
    fixture.roles.set('watcher', ['Watcher'])
    const { body } = await fixture.get('watcher', '/client/v1/api/devices/phone%200/sms/1')
    assert.ok((body.data as unknown[]).length > 0)
    for (const message of body.data as Record<string, unknown>[])
      assert.deepEqual([message.text, message.attachments], [undefined, undefined])
  })
})

describe('archive contents', () => {
  let bundle = ''
  before(async () => {
    const [first] = fixture.acme.payloads.filter(
      (p) => p.payload_type === 'Diagnostics' && p.payload_state === 'Processed',
    )
    bundle = first?.payload_reference ?? ''
    await fixture.store(bundle, 'original', 'application/zip', getBytes('formats/bundle.zip'))
  })

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

/** Degrees of latitude per metre, on the sphere of the distance calculation. */
const METRE = 180 / Math.PI / 6_371_000
const PLACE = { latitude: -23.55, longitude: -46.63 }

describe('the EXIF data of a photo', () => {
  let photo = ''
  before(async () => {
    photo = fixture.acme.payloads.findLast((each) => each.payload_type === 'Photo')?.payload_reference ?? ''
    await fixture.store(
      photo,
      'original',
      'image/jpeg',
      exifJpeg({ location: PLACE, taken_at: '2026-11-02T09:00:00' }, 'II'),
    )
  })

  /** Reads the photo of a device that was so many metres to the north. */
  async function read(payload_location: { metres: number; accuracy?: number } | null) {
    const { ctx, acme } = fixture
    const subjects = await ctx.db.read(acme.client_id, (q) => findDataSubjects(q, [photo]))
    const original = subjects.get(photo)?.objects[0]
    assert.ok(original)
    const place = payload_location && {
      latitude: PLACE.latitude + payload_location.metres * METRE,
      longitude: PLACE.longitude,
      ...(payload_location.accuracy !== undefined && { accuracy: payload_location.accuracy }),
    }
    return readInFile(ctx, 'acme', photo, original, { payload_location: place })
  }

  it('contradicts the device beyond 1 km plus the accuracy of its position', async () => {
    for (const [metres, accuracy, contradicts_device] of [
      [0, 5, false],
      [990, 0, false],
      [1010, 0, true],
      [1490, 500, false],
      [1510, 500, true],
      [9_000_000, 20, true],
    ] as const) {
      const found = await read({ metres, accuracy })
      assert.deepEqual(
        [found?.contradicts_device, Math.abs((found?.metres_away ?? 0) - metres) < metres / 500 + 1],
        [contradicts_device, true],
        `${metres} m, ± ${accuracy} m: ${found?.metres_away}`,
      )
    }
    assert.equal((await read({ metres: 1010 }))?.contradicts_device, true)
  })

  it('does not contradict a device without a position', async () => {
    const found = await read(null)
    assert.deepEqual(found, {
      location: found?.location,
      contradicts_device: false,
      taken_at: '2026-11-02T09:00:00',
    })
    assert.ok(Math.abs((found?.location?.latitude ?? 0) - PLACE.latitude) < 1e-5)
  })
})

const SMALL = Buffer.from('a small picture')
const THERE = { latitude: 51.5, longitude: -0.12 }
describe('thumbnails', () => {
  let photo = ''
  let bare = ''
  let unprepared = ''
  before(async () => {
    const photos = fixture.acme.payloads.filter(
      (p) => p.payload_type === 'Photo' && p.payload_state === 'Processed',
    )
    photo = photos[0]?.payload_reference ?? ''
    bare = photos[1]?.payload_reference ?? ''
    unprepared = photos[2]?.payload_reference ?? ''
    const exif = exifJpeg({ location: THERE, taken_at: '2026-11-02T09:00:00' }, 'MM')
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
    assert.deepEqual(in_file?.location, THERE)
    assert.equal(in_file?.taken_at, '2026-11-02T09:00:00')
    const hidden = await fixture.get('lister', `${CLIENT}/payloads/${photo}`)
    assert.equal((hidden.body.media as { in_file?: object }).in_file, undefined)
  })
})
