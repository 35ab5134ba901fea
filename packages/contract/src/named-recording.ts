import * as z from 'zod/mini'
import { PayloadSummary } from './payload.ts'

/** What names a recording for those who may read it. */
export const SeenRecording = z.pick(PayloadSummary, {
  payload_type: true,
  payload_time: true,
  parties: true,
  party_count: true,
  device_reference: true,
  device_user_reference: true,
  person_name: true,
})

/** A recording in another record: its reference for every reader of that record, more for those who may read it. */
export const NamedRecording = z.strictObject({
  payload_reference: z.string(),
  seen: z.nullable(SeenRecording),
})
export type NamedRecording = z.output<typeof NamedRecording>
