import type { MessageDescriptor } from '@lingui/core'
import type { LinkProps } from '@tanstack/react-router'
import { menuFor, missingAt, SECTIONS } from './navigation.ts'
import type { IconName } from '../ui/icon.tsx'

/** A menu page for side navigation and command menu. */
export interface AreaEntry {
  to: NonNullable<LinkProps['to']>
  section: string
  label: MessageDescriptor
  icon: IconName
}

/** An area behind the sign-in: the client's or the provider's. */
export interface Area {
  home: '/dashboard' | '/internal'
  /** Section headings in order; the first section has none. */
  sections: Readonly<Record<string, MessageDescriptor | undefined>>
  /** Menu entries that `actions` allow, in order. */
  menuFor: (actions: readonly string[]) => readonly AreaEntry[]
  /** Missing action at a route's path and tab; undefined where `actions` suffice. */
  missingAt: (fullPath: string, tab: string | undefined, actions: readonly string[]) => string | undefined
}

/** Area of clients, and of staff in support mode. */
export const CLIENT_AREA: Area = { home: '/dashboard', sections: SECTIONS, menuFor, missingAt }
