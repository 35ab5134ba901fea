import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints, put } from './endpoint.ts'
import { authors, EpochSeconds, PayloadReference } from './scalars.ts'

/** Maximum parts of one report, and of one person in one recording. */
export const PLAYED_PARTS_LIMIT = 500

/** At most eleven days, as a playback position. */
const Second = z.number().check(z.gte(0), z.lte(1_000_000))

/** A played part of a recording, in seconds; the server rounds it to tenths. */
export const PlayedPart = z.strictObject({ from: Second, to: Second })
export type PlayedPart = z.output<typeof PlayedPart>

const PlayedParts = z.array(PlayedPart).check(z.minLength(1), z.maxLength(PLAYED_PARTS_LIMIT))

/** A person who opened a recording. */
export const Listener = z.strictObject({
  ...authors({ heard_by: z.string() }),
  first_at: EpochSeconds,
  last_at: EpochSeconds,
  /** The played parts in order, without overlap; absent for messages and photos. */
  parts: z.optional(z.array(PlayedPart)),
})
export type Listener = z.output<typeof Listener>

export const playEndpoints = endpoints({
  reportPlay: {
    ...put(CLIENT_GROUPS, 'payloads/{payload_reference}/play'),
    action: 'payloads:play',
    support: true,
    matters: true,
    summary: 'Report which parts of a recording the caller has played',
    description:
      'A player calls this during playback. The server adds the parts to those of earlier reports. The audit log has the playback and no entry per report.',
    body: z.strictObject({ parts: PlayedParts }),
    /** All parts that the caller has played, and the length of the recording, where known. */
    response: z.strictObject({
      payload_reference: PayloadReference,
      parts: z.array(PlayedPart),
      length: z.nullable(z.number()),
    }),
    problems: ['not_found', 'wrong_state'],
  },
})

/** Days for which a playback position is kept. */
export const PLAYHEAD_DAYS = 90

/** Playback position in seconds; at most eleven days. */
const Playhead = z.int().check(z.gte(1), z.lte(1_000_000))

export const playheadEndpoints = endpoints({
  savePlayhead: {
    ...put(CLIENT_GROUPS, 'payloads/{payload_reference}/playhead'),
    action: 'payloads.playhead:update',
    summary: 'Save the caller’s playback position in a recording; null deletes it',
    description:
      'It does not count as a play and is not in the audit log. The server keeps it for 90 days or until deletion.',
    body: z.strictObject({ playhead: z.nullable(Playhead) }),
    /** The stored position. */
    response: z.strictObject({ payload_reference: PayloadReference, playhead: z.nullable(Playhead) }),
    problems: ['not_found'],
  },
})
