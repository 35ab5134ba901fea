import { ESCALATE } from '@custodia/contract'
import { CALLS } from './calls.ts'

/** A right beside the one of the call, and what everybody does every day. */
const OTHER = [ESCALATE, 'session:sign_out']

const CHANGES = /* @__PURE__ */ changingActions()

/** What 'changes only' asks of the log; actions that were chosen go before it. */
export const changesOnly = (search: { changes?: true; actions?: readonly string[] }) =>
  search.changes === true && search.actions === undefined ? { actions: CHANGES } : {}

/** The actions of people that change something, as the table of calls tells by their methods. */
export function changingActions(): string[] {
  const changing = CALLS.filter(({ portal, isChange }) => portal !== 'device' && isChange)
    .flatMap(({ actions }) => actions)
    .filter((action) => !OTHER.includes(action))
  return [...new Set(changing)].toSorted((a, b) => (a < b ? -1 : 1))
}
