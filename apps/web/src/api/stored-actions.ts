import { SESSION_KEY } from './kept-session.ts'

/** Where they are kept. */
export const ACTIONS_KEY = 'custodia.actions'

/**
 * Keeps what the profile of this session allows, so that the next page of it may ask for its data before it has read the profile. No
 * more than a hint: the server decides, and nothing is shown before the profile is there.
 */
export function storeActions(actions: readonly string[]): void {
  localStorage.setItem(ACTIONS_KEY, JSON.stringify({ session: localStorage.getItem(SESSION_KEY), actions }))
}

/** Whether the last profile of this very session, support mode included, allowed an action; false when none was read yet. */
export function mayPerhaps(action: string): boolean {
  try {
    const { session, actions } = JSON.parse(localStorage.getItem(ACTIONS_KEY) ?? '{}') as {
      session?: string
      actions?: unknown
    }
    return session === localStorage.getItem(SESSION_KEY) && Array.isArray(actions) && actions.includes(action)
  } catch {
    return false
  }
}
