import { session } from './current-session.ts'
import { holdsInput } from './unsaved-input.ts'

/** `sign in`: the page waits for a sign-in. `checking`: it checks who signed in. */
export type Interruption = 'none' | 'sign in' | 'checking'

let state: Interruption = 'none'
let waiting = Promise.withResolvers<boolean>()
const listeners = new Set<() => void>()

function change(next: Interruption): void {
  state = next
  for (const listener of listeners) listener()
}

/**
 * The session ended while a form holds unsaved input: the page stays, and its calls wait until the same person has
 * signed in again.
 */
export const interruption = {
  state: (): Interruption => state,
  isOn: (): boolean => state !== 'none',
  begin: (): void => {
    if (state === 'none') waiting = Promise.withResolvers<boolean>()
    change('sign in')
  },
  check: (): void => change('checking'),
  /** Ends it. `isResumed`: waiting calls continue with the new session. */
  end: (isResumed: boolean): void => {
    change('none')
    waiting.resolve(isResumed)
  },
  /** Resolves at its end; true when the calls may continue. */
  over: (): Promise<boolean> => (state === 'none' ? Promise.resolve(false) : waiting.promise),
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
}

/** The id token. While the page waits for its user to sign in again, the call waits too. */
export async function tokenOfPerson(): Promise<string | undefined> {
  for (;;) {
    await interruption.over()
    const token = await session.token()
    // The refresh itself may have ended the session.
    if (!interruption.isOn()) return token
  }
}

/** The server rejected a token: true when its call may be repeated. Without input to lose, the portal leaves for the sign-in page. */
export async function signInAgain(): Promise<boolean> {
  if (!interruption.isOn() && holdsInput()) session.end()
  return interruption.over()
}
