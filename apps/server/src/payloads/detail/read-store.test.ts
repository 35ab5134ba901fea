import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { exifJpeg } from '@custodia/simulator'
import { findDataSubjects } from '../store.ts'
import { readFixture, type ReadFixture } from '../../testing/read-fixture.ts'
import { seeded } from '../../testing/require-part.ts'
import { readInFile } from './read-store.ts'

/** Degrees of latitude per metre, on the sphere of the distance calculation. */
const METRE = 180 / Math.PI / 6_371_000
const PLACE = { latitude: -23.55, longitude: -46.63 }

describe('the EXIF data of a photo', () => {
  let fixture: ReadFixture
  let photo = ''
  before(async () => {
    fixture = await readFixture()
    await fixture.acme.add(40, seeded(8))
    photo = fixture.acme.payloads.find((each) => each.payload_type === 'Photo')?.payload_reference ?? ''
    await fixture.store(
      photo,
      'original',
      'image/jpeg',
      exifJpeg({ location: PLACE, taken_at: '2026-11-02T09:00:00' }, 'II'),
    )
  })
  after(() => fixture.close())

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
    for (const [metres, accuracy, contradicts_phone] of [
      [0, 5, false],
      [990, 0, false],
      [1010, 0, true],
      [1490, 500, false],
      [1510, 500, true],
      [9_000_000, 20, true],
    ] as const) {
      const found = await read({ metres, accuracy })
      assert.deepEqual(
        [found?.contradicts_phone, Math.abs((found?.metres_away ?? 0) - metres) < metres / 500 + 1],
        [contradicts_phone, true],
        `${metres} m, ± ${accuracy} m: ${found?.metres_away}`,
      )
    }
    assert.equal((await read({ metres: 1010 }))?.contradicts_phone, true)
  })

  it('does not contradict a device without a position', async () => {
    const found = await read(null)
    assert.deepEqual(found, {
      location: found?.location,
      contradicts_phone: false,
      taken_at: '2026-11-02T09:00:00',
    })
    assert.ok(Math.abs((found?.location?.latitude ?? 0) - PLACE.latitude) < 1e-5)
  })
})
