import type { IconName } from '../../ui/icon.tsx'

export interface Command {
  id: string
  label: string
  /** Other words that find it. */
  words?: string
  /** Distinguishes equal names. */
  detail?: string
  /** Number of records at its target. */
  count?: string
  icon: IconName
  go: () => unknown
  /** Keeps the menu open. */
  isRetry?: true
}

/** Commands of a kind; hidden when empty. */
export interface CommandGroup {
  label: string
  /** Accessible heading. */
  isUntitled?: boolean
  commands: readonly Command[]
}

/** Results for the typed text so far. */
export interface Findings {
  groups: readonly CommandGroup[]
  /** Whether more may arrive. */
  isPending: boolean
  /** Retries failed requests; absent: all succeeded. */
  retry?: (() => void) | undefined
}
