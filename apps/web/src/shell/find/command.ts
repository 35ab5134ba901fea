import type { IconName } from '../../ui/icon.tsx'

/** Something that the command menu offers. */
export interface Command {
  id: string
  label: string
  /** What tells it from others of the same name. */
  detail?: string
  /** How many there are where it leads. */
  count?: string
  icon: IconName
  go: () => unknown
  /** The menu stays where it is. */
  isRetry?: true
}

/** Commands of a kind; without any there is no heading either. */
export interface CommandGroup {
  label: string
  /** The heading is there for those who do not see the list. */
  isUntitled?: boolean
  commands: readonly Command[]
}

/** What the command menu found so far, of what is typed now. */
export interface Findings {
  groups: readonly CommandGroup[]
  /** More may come. */
  isPending: boolean
  /** Asks again for what could not be answered; absent: all was. */
  retry?: (() => void) | undefined
}
