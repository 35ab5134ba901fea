/** Judges roles with patterns that users have just typed, in a thread of its own that can be killed. */
import { parentPort } from 'node:worker_threads'
import { checkRole, compileRole, indexGroups, previewRole } from '@custodia/domain'
import type { DraftAnswer, DraftQuestion } from './draft-protocol.ts'

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
