import type { LoggedCaller } from './context.ts'
import { Problem } from './problem.ts'
import { nameOf, networkOf } from './rate-limit.ts'

const MIB = 1024 ** 2

/** Memory for bodies that are being read: in total, and per sender. */
interface Capacity {
  all: number
  each: number
}
const OF_CALLERS: Capacity = { all: 48 * MIB, each: 16 * MIB }
/** Unauthenticated calls have separate room, so that they cannot block known callers. */
const OF_ADDRESSES: Capacity = { all: 16 * MIB, each: 4 * MIB }

/** Memory of one body. */
export interface BodyShare {
  /**
   * Reserves this many bytes in all. Problems: too_many_requests (the sender's share is used up), unavailable
   * (the total is).
   */
  grow(size: number): void
  /** Gives everything back. */
  release(): void
}

/** The memory for bodies that are being read, within this process. */
export interface BodyMemory {
  ofCaller(caller: LoggedCaller): BodyShare
  ofAddress(ip: string): BodyShare
}

export function makeBodyMemory(): BodyMemory {
  const [callers, addresses] = [makeRoom(OF_CALLERS), makeRoom(OF_ADDRESSES)]
  return {
    ofCaller: (caller) => callers(`${caller.kind} ${nameOf(caller)}`),
    ofAddress: (ip) => addresses(networkOf(ip)),
  }
}

function makeRoom({ all, each }: Capacity): (sender: string) => BodyShare {
  let taken = 0
  const shares = new Map<string, number>()
  return (sender) => {
    let mine = 0
    const resize = (size: number) => {
      const share = (shares.get(sender) ?? 0) + size - mine
      if (size > mine) {
        if (share > each) throw new Problem('too_many_requests', { detail: 'too many bodies at a time' })
        if (taken + size - mine > all) throw new Problem('unavailable', { detail: 'no room for bodies' })
      }
      taken += size - mine
      mine = size
      if (share > 0) shares.set(sender, share)
      else shares.delete(sender)
    }
    return { grow: resize, release: () => resize(0) }
  }
}
