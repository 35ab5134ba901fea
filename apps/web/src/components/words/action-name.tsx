import { actionWords } from './action-words.ts'

/** Label of an action, followed by its code. */
export const ActionName = ({ action }: { action: string }) => (
  <span title={action}>{actionWords(action)}</span>
)
