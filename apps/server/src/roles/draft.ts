import type { AccessImpact, Fault, Role, RoleInput } from '@custodia/contract'
import { normaliseCidr } from '@custodia/domain'
import type { Turn } from '../access/draft-queue.ts'
import { compileDraft, type Draft } from '../access/drafts.ts'
import { applyChange, groupIndexChange } from '../access/group-index-change.ts'
import { getChanger, previewImpact } from '../access/impact.ts'
import { type Rights, withRole } from '../access/rights.ts'
import { getActor, type PortalContext } from '../http/context.ts'

/** Actions with which a change of a role can be undone. */
const UNDO = ['roles:update']

/** A compiled role draft whose impact is not evaluated yet. */
export interface DraftedRole extends Draft {
  role: Role
  problems: Fault[]
}

/** Seconds after which a caller should retry when their client has too many waiting drafts. */
const RETRY_AFTER = 2

/**
 * Compiles a role against the groups of the rights. It waits in a queue: never call it within `read` or `write`.
 * Problems: too_many_requests, unavailable.
 */
export async function draftRole(
  { caller, reply }: PortalContext,
  kind: Turn['kind'],
  rights: Pick<Rights, 'groupIndex' | 'actions'>,
  role_reference: string,
  input: RoleInput,
): Promise<DraftedRole> {
  const role = getRole(role_reference, input)
  const draft = await compileDraft(
    { client_id: caller.client_id, person: getActor(caller), kind },
    role,
    rights,
  ).catch((error: unknown) => {
    void reply.header('retry-after', String(RETRY_AFTER))
    throw error
  })
  return { ...draft, role, problems: draft.preview.problems }
}

/**
 * Carries the draft over to the groups of the rights if these differ little from the compiled ones: only the changed
 * groups are matched, as for a stored role. Undefined: compile it again.
 */
export function carryDraft(
  draft: DraftedRole,
  { source, groupIndex, actions }: Pick<Rights, 'source' | 'groupIndex' | 'actions'>,
): DraftedRole | undefined {
  const change = groupIndexChange(draft.compiled.groupIndex, source.groups)
  if (!change) return undefined
  const { role } = applyChange(draft.compiled, draft.role, change, actions)
  // Both group indexes have the same groups in the same places; saved roles are cached by this one.
  return { ...draft, compiled: { ...role, groupIndex } }
}

/**
 * Previews a save of the role; reviews show it and saves are checked against it.
 * @param rights of the groups against which the role was compiled
 */
export function validateRole(
  context: PortalContext,
  rights: Rights,
  { role, problems, compiled }: DraftedRole,
): AccessImpact {
  // An invalid role changes no rights.
  const after =
    problems.length > 0
      ? { ...rights, touched: new Set<string>() }
      : withRole(rights, role.role_reference, compiled)
  return previewImpact(rights, after, getChanger(context), { undo: UNDO })
}

/** What removing the role would mean. */
export function previewRemovalImpact(
  context: PortalContext,
  rights: Rights,
  role_reference: string,
): AccessImpact {
  return previewImpact(rights, withRole(rights, role_reference, null), getChanger(context), { undo: UNDO })
}

/** The role as it is stored: patterns in Unicode form NFC, networks in full. */
function getRole(role_reference: string, input: RoleInput): Role {
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
    // Invalid networks stay, so that the fault names their place.
    cidr_ranges: [...new Set(input.cidr_ranges.map((range) => normaliseCidr(range) ?? range))],
    is_system: false,
  }
}
