import { type Fault, toFaults } from '@custodia/contract'

/** Characters of unexpected data that an error quotes (spec section 9). */
const EXCERPT = 200

/** Text of an answer that lacks the promised shape, from what its schema found. A file of its own: rarely needed. */
export const describeIssues = (call: string, issues: Parameters<typeof toFaults>[0], data: unknown): string =>
  describeShapeFailure(`${call}:`, toFaults(issues), data)

/** `{prefix} {errors}. JSON: {first 200 characters}`, each error as `path: message` on a line of its own (spec section 5). */
export function describeShapeFailure(prefix: string, faults: readonly Fault[], data: unknown): string {
  const excerpt = (JSON.stringify(data) ?? String(data)).slice(0, EXCERPT)
  if (faults.length === 0) return `${prefix} Unexpected data received. JSON: ${excerpt}`
  const lines = faults.map(
    (fault) => `${fault.path}: ${fault.code === 'required' ? 'required' : fault.message}`,
  )
  return `${prefix} ${lines.join('\n')}. JSON: ${excerpt}`
}
