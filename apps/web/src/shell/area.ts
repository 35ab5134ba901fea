import type { MessageDescriptor } from '@lingui/core'
import type { LinkProps } from '@tanstack/react-router'
import { menuFor, missingAt, SECTIONS } from './navigation.ts'
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
  /** The action that somebody with `actions` misses at a route's path and tab; undefined where they may see it. */
  missingAt: (fullPath: string, tab: string | undefined, actions: readonly string[]) => string | undefined
}

/** What clients see, and staff in support mode. */
export const CLIENT_AREA: Area = { home: '/dashboard', sections: SECTIONS, menuFor, missingAt }
