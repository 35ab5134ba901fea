import type { AccessImpact, Fault, Role, RoleInput } from '@custodia/contract'
import { normaliseCidr } from '@custodia/domain'
import { changerOf } from '../access/assert-permitted.ts'
import { compileDraft, type Draft } from '../access/drafts.ts'
import { judgeChange } from '../access/judge.ts'
import { type Rights, withRole } from '../access/rights.ts'
import type { PortalContext } from '../http/context.ts'

/** Actions with which a change of a role can be undone. */
const UNDO = ['roles:update']

export interface JudgedRole extends Draft {
  role: Role
  problems: Fault[]
  impact: AccessImpact
}

/** What saving the role would mean; the review tells it and the save is held against it. */
export async function judgeRole(
  context: PortalContext,
  rights: Rights,
  role_reference: string,
  input: RoleInput,
): Promise<JudgedRole> {
  const role = roleOf(role_reference, input)
  const draft = await compileDraft(role, rights)
  const { problems } = draft.preview
  // A role that cannot be saved changes nothing.
  const after =
    problems.length > 0
      ? { ...rights, touched: new Set<string>() }
      : withRole(rights, role_reference, draft.compiled)
  return { ...draft, role, problems, impact: judgeChange(rights, after, changerOf(context), { undo: UNDO }) }
}

/** What removing the role would mean. */
export function judgeRemoval(context: PortalContext, rights: Rights, role_reference: string): AccessImpact {
  return judgeChange(rights, withRole(rights, role_reference, null), changerOf(context), { undo: UNDO })
}

/** The role as it is stored: patterns in Unicode form NFC, networks in full. */
function roleOf(role_reference: string, input: RoleInput): Role {
  const nfc = (list: readonly string[]) => list.map((pattern) => pattern.normalize('NFC'))
  return {
    role_reference,
    ...input,
    permissions: input.permissions.map(({ conditions, ...permission }) => ({
      ...permission,
      actions_matching: nfc(permission.actions_matching),
      ...(conditions
        ? {
            conditions: conditions.map(
              ({ names_matching, keys_matching, values_matching, ...condition }) => ({
                ...condition,
                ...(names_matching ? { names_matching: nfc(names_matching) } : {}),
                ...(keys_matching ? { keys_matching: nfc(keys_matching) } : {}),
                ...(values_matching ? { values_matching: nfc(values_matching) } : {}),
              }),
            ),
          }
        : {}),
    })),
    // What is no network stays, so that the fault names its place.
    cidr_ranges: [...new Set(input.cidr_ranges.map((range) => normaliseCidr(range) ?? range))],
    is_system: false,
  }
}
