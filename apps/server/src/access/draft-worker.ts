/** Validates roles with patterns that users have just typed, in a thread of its own that can be killed. */
import { parentPort } from 'node:worker_threads'
import type { Role } from '@custodia/contract'
import {
  type AccessGroup,
  checkRole,
  compileRole,
  indexGroups,
  previewRole,
  type RolePreview,
  type RoleRules,
} from '@custodia/domain'

/** A role draft that the worker validates. */
export interface DraftQuestion {
  role: RoleRules & Pick<Role, 'permissions'>
  actions: readonly string[]
  /** The client's groups; absent: those of the question before. */
  groups?: readonly AccessGroup[]
}

/** Reaches are bit sets over the groups in the order in which they were sent. */
export interface DraftAnswer {
  preview: RolePreview
  allow: ReadonlyMap<string, bigint>
  deny: ReadonlyMap<string, bigint>
}

let groupIndex = indexGroups([])

parentPort?.on('message', ({ role, actions, groups }: DraftQuestion) => {
  if (groups) groupIndex = indexGroups(groups)
  // A rejected pattern is not matched, so it costs no further time.
  const { problems } = checkRole(role, actions)
  const { allow, deny } = problems.length > 0 ? EMPTY : compileRole(role, groupIndex, actions)
  const answer: DraftAnswer = { preview: previewRole(role, groupIndex, actions), allow, deny }
  parentPort?.postMessage(answer)
})
parentPort?.postMessage('ready')

const EMPTY = { allow: new Map<string, bigint>(), deny: new Map<string, bigint>() }
