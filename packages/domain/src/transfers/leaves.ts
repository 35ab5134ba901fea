import type { TransferSettings } from '@custodia/contract'
import { type PayloadReach, subtractReach } from '../access/payload-reach.ts'

/** What leaves by a transfer config: its settings, and the payloads that its role reaches. */
export interface WhatLeaves {
  settings: TransferSettings
  reach: PayloadReach
  /** Whether each use of its role raises an alert. */
  is_watched: boolean
}

/** Settings of which no value sends less than another one. */
const WHERE_AND_HOW = ['transfer_type', 'transfer_file_format', 'pgp_key', 'params'] as const

/**
 * Whether more leaves after a change than before it, or elsewhere, in another form, at other times, or unwatched. Only what surely narrows answers
 * false: fewer payload types, a smaller reach, no schedule, switched off.
 */
export function leavesMore(before: WhatLeaves | undefined, after: WhatLeaves): boolean {
  if (!before) return true
  const [was, is] = [before.settings, after.settings]
  if (WHERE_AND_HOW.some((name) => differs(was[name], is[name]))) return true
  if (is.payload_types.some((type) => !was.payload_types.includes(type))) return true
  if (is.schedule !== null && is.schedule !== was.schedule) return true
  // Nothing leaves by a config that is switched off; switching it on is more.
  if (!is.is_active) return false
  return (
    !was.is_active ||
    subtractReach(after.reach, before.reach).length > 0 ||
    (before.is_watched && !after.is_watched)
  )
}

/** By value, whatever the order of properties. */
const differs = (a: unknown, b: unknown): boolean => sorted(a) !== sorted(b)
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
