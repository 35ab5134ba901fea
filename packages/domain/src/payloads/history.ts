/** The history of a payload: whether what was written is a way that a payload can go. */
import type { PayloadState } from '@custodia/contract'
import { INITIAL_STATES, mayMove } from './states.ts'

export interface HistoryStep {
  /** Null: it came into being. */
  from: PayloadState | null
  to: PayloadState
}

/** How a payload may come into being, whoever brings it. */
const INITIAL: ReadonlySet<PayloadState> = new Set(Object.values(INITIAL_STATES).flat())

/**
 * Whether steps lead from nothing to `current` by the table of states, each walked once. Clocks of processes differ, and times are
 * seconds: steps come in groups, whose order is known, and within a group any order will do.
 */
export function isHistory(groups: readonly (readonly HistoryStep[])[], current: PayloadState): boolean {
  return walk(groups, new Set(), 0, null, null, current)
}

function walk(
  groups: readonly (readonly HistoryStep[])[],
  used: ReadonlySet<HistoryStep>,
  index: number,
  at: PayloadState | null,
  deleted_from: PayloadState | null,
  current: PayloadState,
): boolean {
  const group = groups[index]
  if (!group) return at === current
  const open = group.filter((step) => !used.has(step))
  if (open.length === 0) return walk(groups, new Set(), index + 1, at, deleted_from, current)
  return open.some(
    (step) =>
      step.from === at &&
      mayFollow(step, deleted_from) &&
      walk(
        groups,
        new Set([...used, step]),
        index,
        step.to,
        step.to === 'Deleted' ? step.from : deleted_from,
        current,
      ),
  )
}

const mayFollow = ({ from, to }: HistoryStep, deleted_from: PayloadState | null): boolean =>
  from === null ? INITIAL.has(to) : mayMove(from, to, deleted_from)
