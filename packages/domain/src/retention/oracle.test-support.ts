import type { RetentionCase } from './decide.ts'

const DAY = 86_400

/** What is to become of a payload, read from the specification sentence by sentence, without any part of `decide`. */
export function oracleDecides(asked: RetentionCase, now: number): 'keep' | 'delete' | 'destroy' {
  const { payload: p, policy } = asked
  // No entry for a type: never.
  const entry = policy.rules.find((rule) => rule.payload_type === p.payload_type)
  if (entry === undefined) return 'keep'
  // A destroyed payload stays a tombstone; an uploaded or scanned one is not in its final state.
  const was = p.payload_state === 'Deleted' ? p.state_before_deletion : p.payload_state
  if (p.payload_state === 'Destroyed' || was === 'Uploaded' || was === 'Scanning') return 'keep'
  // Recorded and Failed are due only when late, alerted and abandoned by a person.
  if (was === 'Recorded' || was === 'Failed') {
    if (!p.is_late) return 'keep'
    if (!p.is_alerted) return 'keep'
    if (!p.is_abandoned) return 'keep'
  }
  // Holds, and seven days after their release.
  for (const { until } of asked.holds) {
    if (until === null) return 'keep'
    if (now < until + 7 * DAY) return 'keep'
  }
  // A migration without acceptance.
  if (p.awaits_sign_off) return 'keep'
  // Both gates.
  for (const name of entry.required_receipts) if (!asked.receipts.includes(name)) return 'keep'
  for (const name of entry.required_transfers) if (!asked.transfers.includes(name)) return 'keep'
  // What came late counts from its arrival.
  let recorded = p.payload_time
  if (p.is_late && p.announced_at > recorded) recorded = p.announced_at
  // The law.
  for (const minimum of policy.minimums)
    if (minimum.payload_type === p.payload_type && now < recorded + minimum.days * DAY) return 'keep'
  // The basis; one that is not set never expires.
  let basis: number | null = recorded
  if (entry.retention_timestamp === 'processed_at') basis = p.processed_at
  if (entry.retention_timestamp === 'transferred_at') basis = p.transferred_at
  if (entry.retention_timestamp === 'receipt_confirmed_at') basis = p.receipt_confirmed_at
  if (basis === null) return 'keep'
  // Restored: the later of the two.
  if (p.restored_at !== null && p.restored_at > basis) basis = p.restored_at
  const { delete_after_days, destroy_after_days } = entry
  if (delete_after_days !== undefined && p.payload_state !== 'Deleted')
    return now >= basis + delete_after_days * DAY ? 'delete' : 'keep'
  if (destroy_after_days === undefined) return 'keep'
  // With both, destruction counts from deletion.
  const from = delete_after_days === undefined ? basis : (p.deleted_at ?? Infinity)
  return now >= from + destroy_after_days * DAY ? 'destroy' : 'keep'
}
