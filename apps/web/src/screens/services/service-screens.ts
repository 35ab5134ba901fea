import type { Service } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { linkOptions } from '@tanstack/react-router'
import type { IconName } from '../../ui/icon.tsx'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { CallsSearch, MessagesSearch } from '../../components/payloads/payload-search.ts'

/** A service that has screens: its list and its detail pages. */
export interface ServiceScreen {
  service: Service
  title: MessageDescriptor
  icon: IconName
  /** Says that there is nothing yet, and why. */
  empty: MessageDescriptor
  list: (search: ListSearch) => LinkTarget
  detail: (payload_reference: string) => LinkTarget
}

/** The services on the overview, in their order. A service without screens is absent. */
export const SERVICE_SCREENS: readonly ServiceScreen[] = [
  {
    service: 'calls',
    title: msg`Calls`,
    icon: 'phone',
    empty: msg`Calls appear here as soon as an activated phone has recorded and uploaded its first one.`,
    list: (search) => linkOptions({ to: '/dashboard/services/calls', search: CallsSearch.parse(search) }),
    detail: (payload_reference) =>
      linkOptions({ to: '/dashboard/services/calls/$payload_reference', params: { payload_reference } }),
  },
  {
    service: 'messages',
    title: msg`Messages`,
    icon: 'message',
    empty: msg`SMS, MMS and RCS messages appear here as soon as an activated phone has uploaded its first one.`,
    list: (search) =>
      linkOptions({ to: '/dashboard/services/messages', search: MessagesSearch.parse(search) }),
    detail: (payload_reference) =>
      linkOptions({ to: '/dashboard/services/messages/$payload_reference', params: { payload_reference } }),
  },
]
