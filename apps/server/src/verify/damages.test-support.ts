import { randomBytes } from 'node:crypto'
import { type IngestFixture, sealRecording, type TestPhone } from '../testing/ingest-fixture.ts'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import { type Damage, objectsRoot, type Victim } from './damage.test-support.ts'
import { DAMAGED_OBJECTS } from './damaged-objects.test-support.ts'
import { DAMAGED_ROWS } from './damaged-rows.test-support.ts'

/** Damages of one payload each; they can be planted side by side. */
export const DAMAGES: readonly Damage[] = [...DAMAGED_OBJECTS, ...DAMAGED_ROWS]

/** A payload of each kind, as its phone and the processing leave it. `uploaded` ones are delivered after all processing. */
export async function makeVictim(
  fixture: IngestFixture,
  phone: TestPhone,
  kind: Damage['on'],
): Promise<Victim> {
  const type = kind === 'blocked' ? 'AbortedCall' : kind === 'failed' ? 'SMS' : 'Photo'
  const sealed = await sealRecording(phone, type, kind === 'blocked' ? undefined : randomBytes(2000))
  const { payload_reference } = sealed.announcement
  if (kind !== 'blocked' && kind !== 'recorded') await phone.deliver(sealed)
  else await phone.announce(sealed.announcement)
  const row = await fixture.state(payload_reference)
  const key = `acme/${payload_reference}/original-0`
  return {
    payload_id: Number(row?.payload_id),
    payload_reference,
    key,
    file: objectPath(objectsRoot(fixture), key),
  }
}
