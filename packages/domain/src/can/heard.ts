/** How much of a recording a person has heard, and whether that suffices for a review. */
import {
  isDataless,
  type Mark,
  type PayloadState,
  type PayloadType,
  PLAYED_SERVICES,
  type PlayedPart,
  getService,
} from '@custodia/contract'
import { dataObstacle } from './payload.ts'

/** Seconds from which on a person has heard a recording; a shorter recording must be played whole. */
export const HEARD_SECONDS = 1

/** The fastest speed of a player. */
export const FASTEST_PLAYBACK = 3
/** Seconds by which a report may be ahead: clocks count whole seconds. */
const AHEAD = 5

/** Seconds of a recording that a person can have heard since the first playback began. */
export const mostHeard = (seconds_since: number): number => (seconds_since + AHEAD) * FASTEST_PLAYBACK

/** Whether playback of this type is measured. */
export const isPlayed = (type: PayloadType): boolean =>
  (PLAYED_SERVICES as readonly string[]).includes(getService(type)) && !isDataless(type)

const tenths = (seconds: number): number => Math.round(seconds * 10)

/**
 * The parts in order, without overlap, in tenths of seconds and within the recording. Parts outside it are dropped.
 * @param length seconds; undefined: unknown
 */
export function boundParts(parts: readonly PlayedPart[], length: number | undefined): PlayedPart[] {
  const end = length === undefined ? Number.POSITIVE_INFINITY : Math.ceil(length * 10)
  const sorted = parts
    .map(({ from, to }) => ({ from: tenths(from), to: Math.min(tenths(to), end) }))
    .filter(({ from, to }) => from < to)
    .toSorted((a, b) => a.from - b.from)
  const merged: { from: number; to: number }[] = []
  for (const part of sorted) {
    const last = merged.at(-1)
    if (last !== undefined && part.from <= last.to) last.to = Math.max(last.to, part.to)
    else merged.push(part)
  }
  return merged.map(({ from, to }) => ({ from: from / 10, to: to / 10 }))
}

/** Seconds of parts without overlap. */
export const getSeconds = (parts: readonly PlayedPart[]): number =>
  parts.reduce((sum, { from, to }) => sum + tenths(to) - tenths(from), 0) / 10

/** Heard percent of a recording, 0 to 100; undefined when its length is unknown. */
export const heardShare = (seconds: number, length: number | null | undefined): number | undefined =>
  length === null || length === undefined || length <= 0
    ? undefined
    : Math.min(100, Math.round((seconds / length) * 100))

/** What a review needs to know of a payload and of its reviewer's listening. */
export interface HeardPayload {
  payload_type: PayloadType
  payload_state: PayloadState
  /** Whether a browser can play it. */
  is_playable: boolean
  seconds: number
  /** Seconds, where known. */
  length: number | null | undefined
}

/**
 * Whether a reviewer heard less than `min_share` percent before the mark `reviewed`. False for payloads that cannot be
 * heard. Of a recording of unknown length, any part suffices.
 */
export function isTooLittle(mark: Mark, heard: HeardPayload, min_share: number): boolean {
  if (mark !== 'reviewed' || min_share === 0 || !isPlayed(heard.payload_type)) return false
  if (!heard.is_playable || dataObstacle(heard) !== undefined) return false
  const share = heardShare(heard.seconds, heard.length)
  return share === undefined ? heard.seconds < HEARD_SECONDS : share < min_share
}
