import { ESCALATE } from '@custodia/contract'
import { CALLS } from './calls.ts'

/** Secondary rights, and everyday actions. */
const OTHER = [ESCALATE, 'session:sign_out']

const CHANGES = /* @__PURE__ */ changingActions()

/** Filter of 'changes only'; selected actions have priority. */
export const changesOnly = (search: { changes?: true; actions?: readonly string[] }) =>
  search.changes === true && search.actions === undefined ? { actions: CHANGES } : {}

/** People's actions that change data, by the HTTP methods of the endpoint table. */
export function changingActions(): string[] {
  const changing = CALLS.filter(({ portal, isChange }) => portal !== 'device' && isChange)
    .flatMap(({ actions }) => actions)
    .filter((action) => !OTHER.includes(action))
  return [...new Set(changing)].toSorted((a, b) => (a < b ? -1 : 1))
}
