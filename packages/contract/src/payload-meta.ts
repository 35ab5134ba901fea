import * as z from 'zod/mini'
import type { PayloadType } from './payload-types.ts'
import {
  Count,
  EpochSeconds,
  Imei,
  MessageId,
  NonNegative,
  PayloadReference,
  PhoneNumber,
  Sha256,
  text,
  ThreadId,
} from './scalars.ts'

// Metadata that a device seals with each payload (spec section 3). Unknown fields are rejected: they mean another
// protocol version, and dropping evidence silently is worse than a refusal.

const Location = z.strictObject({
  latitude: z.number().check(z.gte(-90), z.lte(90)),
  longitude: z.number().check(z.gte(-180), z.lte(180)),
  accuracy: z.optional(z.number().check(z.gte(0))),
  altitude: z.optional(z.number()),
  timestamp: z.optional(EpochSeconds),
  provider: z.optional(text(1, 60)),
})

const CarrierMetadata = z.strictObject({
  carrier_name: z.optional(z.nullable(text(0, 255))),
  phone_number: z.optional(PhoneNumber),
  slot_index: z.int().check(z.gte(0), z.lte(9)),
  is_default_voice: z.optional(z.boolean()),
  is_default_message: z.optional(z.boolean()),
  is_default_data: z.optional(z.boolean()),
})

/** The place of a recording among those of its type and installation, so that the server names what never arrived. */
export const Sequence = z.strictObject({
  /** Random, another one whenever the numbers begin again: with each installation. */
  chain_id: text(1, 64),
  /** From 1, without gaps. */
  seq: z.int().check(z.gte(1), z.lte(2_147_483_647)),
  /** SHA-256 of the sealed metadata (`meta`, decoded) of the recording before; null: this is the first. */
  prev_hash: z.nullable(Sha256),
})
export type Sequence = z.output<typeof Sequence>

const common = {
  payload_reference: PayloadReference,
  timezone: text(1, 64),
  /** Minutes east of UTC where the recording was made. */
  timezone_offset: z.int().check(z.gte(-1080), z.lte(1080)),
  /** Wall clock of the recording, `YYYY-MM-DDTHH:MM:SS`. */
  local_time: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/, { error: 'iso_timestamp' })),
  payload_time: EpochSeconds,
  payload_location: z.optional(z.nullable(Location)),
  last_known_location: z.optional(z.nullable(Location)),
  payload_carrier_metadata: z.optional(z.array(CarrierMetadata).check(z.maxLength(10))),
  imeis: z.optional(z.array(Imei).check(z.maxLength(10))),
  sequence: z.optional(Sequence),
}

/** I: in, O: out, CC: in copy (spec section 5). */
export const DIRECTIONS = ['I', 'O', 'CC'] as const
export const Direction = z.enum(DIRECTIONS)
export type Direction = (typeof DIRECTIONS)[number]

export const SECOND_PARTY_LIMIT = 1000
export const PAUSE_LIMIT = 1000

const CallParty = z.strictObject({
  phone_number: PhoneNumber,
  contact_name: z.optional(z.nullable(text(0, 255))),
  direction: Direction,
  /** When the party was dialled or rang. */
  start_time: EpochSeconds,
  duration: NonNegative,
  /** When the party answered. */
  connection_time: z.optional(z.nullable(EpochSeconds)),
})

const call = {
  ...common,
  payload_end_time: EpochSeconds,
  voice_source: z.optional(z.nullable(z.enum(['MIC', 'BT', 'HEADSET']))),
  signal_strength: z.optional(z.nullable(z.int())),
  size: NonNegative,
  is_intermittent: z.optional(z.boolean()),
  payload_full_duration: z.optional(NonNegative),
}
const secondParties = (least: number) =>
  z.array(CallParty).check(z.minLength(least), z.maxLength(SECOND_PARTY_LIMIT))

const MessageParty = z.strictObject({
  phone_number: PhoneNumber,
  contact_name: z.optional(z.nullable(text(0, 255))),
  direction: z.optional(Direction),
})

const message = {
  ...common,
  thread_id: ThreadId,
  direction: Direction,
  /** Characters of the text. */
  length: Count,
  imsi: z.optional(z.nullable(text(1, 20))),
  /** Stable identifier of the message across uploads. */
  message_id: z.optional(MessageId),
}

export const CallMeta = z.strictObject({ ...call, second_parties: secondParties(1) })
export const AbortedCallMeta = z.strictObject({ ...call, second_parties: secondParties(1) })
export const BlockedCallMeta = z.strictObject({
  ...call,
  second_parties: secondParties(0),
  reason_for_blocking: text(1, 1000),
})
export const MessageMeta = z.union([
  z.strictObject({
    ...message,
    message_parties: z.array(MessageParty).check(z.minLength(1), z.maxLength(1000)),
  }),
  // The older form: one party, named apart.
  z.strictObject({
    ...message,
    second_party: PhoneNumber,
    saved_name_for_second_party: z.optional(z.nullable(text(0, 255))),
  }),
])
export const InterviewMeta = z.strictObject({
  ...common,
  payload_end_time: EpochSeconds,
  payload_duration: NonNegative,
  payload_notes: z.optional(z.nullable(z.string().check(z.maxLength(10_000)))),
  interview_pause_times: z
    .array(z.strictObject({ start_time: EpochSeconds, duration: NonNegative }))
    .check(z.maxLength(PAUSE_LIMIT)),
})
const PictureMeta = z.strictObject({
  ...common,
  payload_duration: z.optional(NonNegative),
  payload_notes: z.optional(z.nullable(z.string().check(z.maxLength(10_000)))),
})
export const DiagnosticsMeta = z.strictObject({
  ...common,
  payload_notes: z.optional(z.nullable(z.string().check(z.maxLength(10_000)))),
})

/** The schema of each payload type's meta. */
export const PAYLOAD_META = {
  Call: CallMeta,
  AbortedCall: AbortedCallMeta,
  BlockedCall: BlockedCallMeta,
  SMS: MessageMeta,
  MMS: MessageMeta,
  RCS: MessageMeta,
  Interview: InterviewMeta,
  Photo: PictureMeta,
  Video: PictureMeta,
  Diagnostics: DiagnosticsMeta,
} as const satisfies Record<PayloadType, z.ZodMiniType>

export type CallMeta = z.output<typeof CallMeta>
export type BlockedCallMeta = z.output<typeof BlockedCallMeta>
export type MessageMeta = z.output<typeof MessageMeta>
export type InterviewMeta = z.output<typeof InterviewMeta>
export type PictureMeta = z.output<typeof PictureMeta>
export type DiagnosticsMeta = z.output<typeof DiagnosticsMeta>
export type PayloadMeta =
  | CallMeta
  | BlockedCallMeta
  | MessageMeta
  | InterviewMeta
  | PictureMeta
  | DiagnosticsMeta

/** What the data of an SMS, MMS or RCS message decrypts to: UTF-8 JSON of this form. */
export const MessageDocument = z.strictObject({
  text: z.string().check(z.maxLength(1_000_000)),
  attachments: z.optional(
    z
      .array(
        z.strictObject({
          name: z.optional(z.string().check(z.maxLength(255))),
          content_type: z.string().check(z.maxLength(255)),
          /** Base64 of the attachment's bytes. */
          data: z.string(),
        }),
      )
      .check(z.maxLength(100)),
  ),
})
export type MessageDocument = z.output<typeof MessageDocument>
