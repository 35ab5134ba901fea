import { ESCALATE } from '@custodia/contract'
import { CALLS } from './calls.ts'

interface Entry {
  log_id: string
}

/**
 * Log entries of the playback that begins with `first`, in order.
 * @param entries of the same person, network, action and recording, newest first
 * @param plays entries that start a playback
 */
export function entriesOfPlay<E extends Entry>(
  first: string,
  entries: readonly E[],
  plays: readonly Entry[],
): E[] {
  const begins = new Set(plays.map(({ log_id }) => log_id))
  const inOrder = entries.toReversed()
  const start = inOrder.findIndex(({ log_id }) => log_id === first)
  if (start < 0) return []
  const end = inOrder.findIndex(({ log_id }, index) => index > start && begins.has(log_id))
  return inOrder.slice(start, end < 0 ? undefined : end)
}

/** Formats logged parameters: indented JSON, else unchanged. */
export function prettyParameters(parameters: string): string {
  try {
    return JSON.stringify(JSON.parse(parameters), undefined, 2)
  } catch {
    return parameters
  }
}

/** Secondary rights, and everyday actions. */
const OTHER = [ESCALATE, 'session:sign_out', 'payloads:play', 'payloads.playhead:update']

const CHANGES = /* @__PURE__ */ changingActions()

/** Filter of 'changes only'; selected actions have priority. */
export const changesOnly = (search: { changes?: true; actions?: readonly string[] }) =>
  search.changes === true && search.actions === undefined ? { actions: CHANGES } : {}

/** People's actions that change data, by the HTTP methods of the endpoint table. */
export function changingActions(): string[] {
  const changing = CALLS.filter(({ portal, isChange }) => portal !== 'device' && isChange)
    .flatMap(({ actions }) => actions)
    .filter((action) => !OTHER.includes(action) && !action.endsWith(':preview'))
  return [...new Set(changing)].toSorted((a, b) => (a < b ? -1 : 1))
}
