import type { MessageDescriptor } from '@lingui/core'
import type { LinkProps } from '@tanstack/react-router'
import { actionOf, menuFor, SECTIONS } from './navigation.ts'
import type { IconName } from '../ui/icon.tsx'

/** A page of a menu, as side navigation and command menu draw it. */
export interface AreaEntry {
  to: NonNullable<LinkProps['to']>
  section: string
  label: MessageDescriptor
  icon: IconName
}

/** The portal has two areas behind the sign-in: that of clients and the provider's own. */
export interface Area {
  home: '/dashboard' | '/internal'
  /** Headings of the side navigation in their order; the first section has none. */
  sections: Readonly<Record<string, MessageDescriptor | undefined>>
  /** The menu entries that `actions` allow, in order. */
  menuFor: (actions: readonly string[]) => readonly AreaEntry[]
  /** The action that the page at a route's path needs; undefined when it needs none of its own. */
  actionOf: (fullPath: string) => string | undefined
}

/** What clients see, and staff in support mode. */
export const CLIENT_AREA: Area = { home: '/dashboard', sections: SECTIONS, menuFor, actionOf }
