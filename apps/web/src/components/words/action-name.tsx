import { actionWords } from './action-words.ts'

/** What an action lets somebody do; its name on the wire stands behind the words. */
export const ActionName = ({ action }: { action: string }) => (
  <span title={action}>{actionWords(action)}</span>
)
