import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { fault, type Role } from '@custodia/contract'
import { type CompiledRole, withReaches, type RolePreview } from '@custodia/domain'
import { takeTurns, type Turn } from './draft-queue.ts'
import type { DraftAnswer, DraftQuestion } from './draft-worker.ts'
import type { Rights } from './rights.ts'

/** Milliseconds of a processor that one role may take to compile and match; ordinary ones take a hundredth. */
export const DRAFT_LIMIT = 500

export interface Draft {
  preview: RolePreview
  /** Compiled against the groups of the rights that were given. */
  compiled: CompiledRole
}

interface Thread {
  worker: Worker
  groups?: Rights['groupIndex'] | undefined
}

let thread: Promise<Thread> | undefined

/** Saves that may wait, and reviews: at their worst ten of a client take 5 seconds, and as long for each other client's turn. */
const takeTurn = takeTurns({ per_client: 10, in_all: 100 })

/**
 * Validates and compiles a role draft in one thread, the clients in turn. A role whose patterns take too long gets
 * the problem `pattern_too_complex`, and the thread is replaced. It may take seconds: callers hold no database
 * connection meanwhile. Problems: too_many_requests, unavailable.
 */
export function compileDraft(
  turn: Turn,
  role: Role,
  rights: Pick<Rights, 'groupIndex' | 'actions'>,
  limit = DRAFT_LIMIT,
): Promise<Draft> {
  return takeTurn(turn, () => validate(role, rights, limit))
}

async function validate(
  role: Role,
  { groupIndex, actions }: Pick<Rights, 'groupIndex' | 'actions'>,
  limit: number,
): Promise<Draft> {
  thread ??= start()
  const mine = await thread.catch((error: unknown) => {
    thread = undefined
    throw error
  })
  const answer = await ask(
    mine,
    { role, actions, ...(mine.groups === groupIndex ? {} : { groups: groupIndex.groups }) },
    limit,
  )
  mine.groups = groupIndex
  const { preview, allow, deny } = answer ?? { preview: TOO_COMPLEX, allow: new Map(), deny: new Map() }
  return { preview, compiled: withReaches(role, { groupIndex, allow, deny }) }
}

const nothing = { is_all: false, count: 0, first: [] }
const TOO_COMPLEX: RolePreview = {
  actions: [],
  permissions: [],
  groups: nothing,
  problems: [fault('permissions', 'pattern_too_complex')],
  warnings: [],
}

async function start(): Promise<Thread> {
  const worker = new Worker(new URL('./draft-worker.ts', import.meta.url))
  // An idle process may exit.
  worker.unref()
  await once(worker, 'message')
  return { worker }
}

/** The answer; undefined when it took longer than the limit or the thread broke down. */
async function ask(
  { worker }: Thread,
  question: DraftQuestion,
  limit: number,
): Promise<DraftAnswer | undefined> {
  const ended = new AbortController()
  // Processor time, not the clock's: on a busy machine ordinary roles wait as well.
  const before = await worker.cpuUsage()
  const timer = setInterval(async () => {
    const { user, system } = await worker.cpuUsage(before).catch(() => ({ user: Infinity, system: 0 }))
    if ((user + system) / 1000 > limit) ended.abort()
  }, limit / 5)
  try {
    const answered = once(worker, 'message', { signal: ended.signal })
    worker.postMessage(question)
    const [answer] = (await answered) as [DraftAnswer]
    return answer
  } catch {
    thread = undefined
    await worker.terminate()
    return undefined
  } finally {
    clearInterval(timer)
  }
}
