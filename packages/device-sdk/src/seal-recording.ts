import {
  type Announcement,
  isDataless,
  PARSE_OPTIONS,
  PAYLOAD_META,
  type PayloadMeta,
  type PayloadType,
  toFaults,
} from '@custodia/contract'
import { associatedData, hashing, newDek, seal, sealMeta, wrapDek } from '@custodia/envelope'
import type { AccountKey, PhoneStore } from './store.ts'

/** What the recorder hands over. `meta` carries the payload_reference: make a new ULID for every recording. */
export interface Recording {
  payload_type: PayloadType
  meta: PayloadMeta
  /** The plaintext, read once; absent for aborted and blocked calls, which have none. */
  data?: () => AsyncIterable<Uint8Array>
}

/** The meta, or whether there is data, does not suit the payload type. Names fields, never their values. */
export class InvalidRecording extends Error {
  override name = 'InvalidRecording'
}

/**
 * Seals a recording under a DEK of its own (docs/envelope-format.md) into the store and returns its announcement. The DEK is not kept:
 * from here on only the server can open the recording.
 */
export async function sealRecording(
  recording: Recording,
  key: AccountKey,
  store: PhoneStore,
): Promise<Announcement> {
  const { payload_type, meta, data } = recording
  const { payload_reference, payload_time } = meta
  const ids = { client: key.client, payload_reference }
  const dek = newDek()
  const end = 'payload_end_time' in meta ? { payload_end_time: meta.payload_end_time } : {}
  const announcement: Announcement = {
    payload_reference,
    payload_type,
    payload_time,
    ...end,
    key_id: key.key_id,
    encrypted_dek: wrapDek(key.kek, dek),
    ...sealMeta(dek, ids, meta),
  }
  if (!data) return announcement
  const sealed = hashing(seal(dek, associatedData({ ...ids, kind: 'original' }), data()))
  await store.writeSealed(payload_reference, sealed.stream)
  return { ...announcement, checksum: sealed.digest(), size: sealed.size() }
}

/** Throws InvalidRecording for what the server would have to refuse. */
export function assertRecording({ payload_type, meta, data }: Recording): void {
  const dataless = isDataless(payload_type)
  if (dataless === (data !== undefined)) {
    throw new InvalidRecording(`${payload_type} ${dataless ? 'carries no data' : 'needs data'}`)
  }
  const parsed = PAYLOAD_META[payload_type].safeParse(meta, PARSE_OPTIONS)
  if (parsed.success) return
  const faults = toFaults(parsed.error.issues).map((each) => `${each.path}: ${each.code}`)
  throw new InvalidRecording(`the meta of this ${payload_type} is not valid: ${faults.join('; ')}`)
}
