import type { TransferSettings, TransferWidening } from '@custodia/contract'
import { type PayloadReach, subtractReach } from '../access/evaluate.ts'

/** What leaves by a transfer config: its settings, and the payloads that its role reaches. */
export interface WhatLeaves {
  settings: TransferSettings
  reach: PayloadReach
  /** Whether each use of its role raises an alert. */
  is_watched: boolean
}

/**
 * By what more leaves after a change than before it, or elsewhere, in another form, at other times, or unwatched. Only what surely narrows is left
 * out: fewer payload types, a smaller reach, no schedule, switched off.
 */
export function widenings(before: WhatLeaves | undefined, after: WhatLeaves): TransferWidening[] {
  if (!before) return [{ changed: 'config', before: [], after: [] }]
  const [was, is] = [before.settings, after.settings]
  const found: TransferWidening[] = []
  const add = (changed: TransferWidening['changed'], from: readonly string[], to: readonly string[]) =>
    found.push({ changed, before: [...from], after: [...to] })
  if (is.transfer_type !== was.transfer_type) add('transfer_type', [was.transfer_type], [is.transfer_type])
  if (is.payload_types.some((type) => !was.payload_types.includes(type)))
    add('payload_types', was.payload_types, is.payload_types)
  found.push(...changedParams(was.params, is.params))
  if (is.transfer_file_format !== was.transfer_file_format)
    add('transfer_file_format', [was.transfer_file_format], [is.transfer_file_format])
  if (is.pgp_key !== was.pgp_key) add('pgp_key', [], [])
  if (is.schedule !== null && is.schedule !== was.schedule)
    add('schedule', was.schedule === null ? [] : [was.schedule], [is.schedule])
  // Nothing leaves by a config that is switched off; switching it on is more.
  if (!is.is_active) return found
  if (!was.is_active) add('is_active', ['false'], ['true'])
  // A payload type that the config gains stands in `payload_types`.
  const gained = subtractReach(after.reach, before.reach)
    .flatMap(({ types }) => types)
    .filter((type) => was.payload_types.some((each) => each === type))
  if (gained.length > 0) add('reach', [], gained)
  if (before.is_watched && !after.is_watched) add('is_alertable', ['true'], ['false'])
  return found
}

type Params = Readonly<Record<string, string | number | null>>

/** What names the target: no value of it sends less than another one. */
function changedParams(was: Params, is: Params): TransferWidening[] {
  const shown = (value: string | number | null | undefined) =>
    value === null || value === undefined ? [] : [String(value)]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => (was[name] ?? null) !== (is[name] ?? null))
    .map((name) => ({
      changed: `params.${name}` as TransferWidening['changed'],
      before: shown(was[name]),
      after: shown(is[name]),
    }))
}
