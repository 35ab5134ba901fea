import { SESSION_KEY } from './kept-session.ts'

/** Storage key. */
export const ACTIONS_KEY = 'custodia.actions'

/** Stores the permitted actions, so that the next page can request data before its profile. The server still decides. */
export function storeActions(actions: readonly string[]): void {
  localStorage.setItem(ACTIONS_KEY, JSON.stringify({ session: localStorage.getItem(SESSION_KEY), actions }))
}

/** Whether the last profile of this session (support mode included) allowed an action; false before the first profile. */
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
