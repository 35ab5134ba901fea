import { type PayloadType, type Service, getService } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import type { IconName } from '../../ui/icon.tsx'
import {
  callTitle,
  callWith,
  interviewTitle,
  diagnosticsTitle,
  messageTitle,
  messageWith,
  photoTitle,
  type Sides,
  videoTitle,
} from './party-text.ts'
import type { PayloadColumn } from './payload-columns.ts'

interface ServiceRow {
  title: MessageDescriptor
  /** Label of one payload. */
  one: MessageDescriptor
  icon: IconName
  /** Label of the link back to the list. */
  toList: MessageDescriptor
  noMatch: MessageDescriptor
  /** Text of an empty list: the fact, and what will fill it. */
  noneYet: MessageDescriptor
  comes: MessageDescriptor
  list: `/dashboard/services/${string}`
  /** Page of a payload; absent: preview only. */
  detail?: `/dashboard/services/${string}/$payload_reference`
  columns: readonly PayloadColumn[]
  /** Title on page and preview. */
  getName: (payload: Sides, i18n: I18n) => string
  getShortName: (payload: Sides, i18n: I18n) => string
  hasSound: boolean
  /** Whether payloads have pictures: their list has tiles. */
  hasPicture?: true
}

/** Columns of payloads without a second party, led by the device user. */
const WITHOUT_PARTY: readonly PayloadColumn[] = [
  'time',
  ['user', { stacked: 'lead' }],
  'duration',
  'review',
  'state',
  'group',
  'flags',
  ['reference', { isOptional: true }],
  'device',
  'processed',
  'updated',
  'receipt',
]

/** Services with screens, in overview order: all that differs between them, except the viewer. */
export const SERVICES = {
  calls: {
    title: msg`Calls`,
    one: msg`Call`,
    icon: 'phone',
    toList: msg`Go to calls`,
    noMatch: msg`No calls match`,
    noneYet: msg`No calls yet`,
    comes: msg`Calls appear here after an activated phone uploads its first one.`,
    list: '/dashboard/services/calls',
    detail: '/dashboard/services/calls/$payload_reference',
    getName: callTitle,
    getShortName: callWith,
    hasSound: true,
    columns: [
      'time',
      'user',
      'review',
      'direction',
      'parties',
      'duration',
      'state',
      'group',
      'flags',
      ['reference', { isOptional: true }],
      ['type', { isOptional: true }],
      'device',
      'processed',
      'updated',
      'receipt',
    ],
  },
  messages: {
    title: msg`Messages`,
    one: msg`Message`,
    icon: 'message',
    toList: msg`Go to messages`,
    noMatch: msg`No messages match`,
    noneYet: msg`No messages yet`,
    comes: msg`SMS, MMS and RCS messages appear here after an activated phone uploads its first one.`,
    list: '/dashboard/services/messages',
    detail: '/dashboard/services/messages/$payload_reference',
    getName: messageTitle,
    getShortName: messageWith,
    hasSound: false,
    columns: [
      'time',
      'user',
      'review',
      'direction',
      'parties',
      ['type', { width: 66 }],
      'state',
      'group',
      'length',
      'flags',
      ['reference', { isOptional: true }],
      'device',
      'processed',
      'updated',
      'receipt',
    ],
  },
  interviews: {
    title: msg`Interviews`,
    one: msg`Interview`,
    icon: 'microphone',
    toList: msg`Go to interviews`,
    noMatch: msg`No interviews match`,
    noneYet: msg`No interviews yet`,
    comes: msg`Interviews appear here after an activated phone uploads its first one.`,
    list: '/dashboard/services/interviews',
    detail: '/dashboard/services/interviews/$payload_reference',
    getName: interviewTitle,
    getShortName: interviewTitle,
    hasSound: true,
    columns: WITHOUT_PARTY,
  },
  photos: {
    title: msg`Photos`,
    one: msg`Photo`,
    icon: 'image',
    toList: msg`Go to photos`,
    noMatch: msg`No photos match`,
    noneYet: msg`No photos yet`,
    comes: msg`Photos appear here after an activated phone uploads its first one.`,
    list: '/dashboard/services/photos',
    detail: '/dashboard/services/photos/$payload_reference',
    getName: photoTitle,
    getShortName: photoTitle,
    hasSound: false,
    hasPicture: true,
    columns: ['picture', ...WITHOUT_PARTY.filter((column) => column !== 'duration')],
  },
  videos: {
    title: msg`Videos`,
    one: msg`Video`,
    icon: 'video',
    toList: msg`Go to videos`,
    noMatch: msg`No videos match`,
    noneYet: msg`No videos yet`,
    comes: msg`Videos appear here after an activated phone uploads its first one.`,
    list: '/dashboard/services/videos',
    detail: '/dashboard/services/videos/$payload_reference',
    getName: videoTitle,
    getShortName: videoTitle,
    hasSound: true,
    hasPicture: true,
    columns: ['picture', ...WITHOUT_PARTY],
  },
  diagnostics: {
    title: msg`Diagnostics`,
    one: msg`Diagnosis`,
    icon: 'wrench',
    toList: msg`Go to diagnostics`,
    noMatch: msg`No diagnostics match`,
    noneYet: msg`No diagnostics yet`,
    comes: msg`Diagnostics appear here after a phone sends them, on its own or on command.`,
    list: '/dashboard/services/diagnostics',
    getName: diagnosticsTitle,
    getShortName: diagnosticsTitle,
    hasSound: false,
    columns: WITHOUT_PARTY.filter((column) => column !== 'duration'),
  },
} as const satisfies Partial<Record<Service, ServiceRow>>
export type ScreenService = keyof typeof SERVICES

/** Service of a payload type; undefined for types without screens. */
export function screenService(type: PayloadType): ScreenService | undefined {
  const service = getService(type)
  return service in SERVICES ? (service as ScreenService) : undefined
}

/** The page of the content search. */
export const WORDS_PAGE = '/dashboard/services/words'

/** Link to a service's list with filters. */
export const getList = (service: ScreenService, search: ListSearch): LinkTarget => ({
  to: SERVICES[service].list,
  search: search as never,
})

/** Link to a payload's page or preview. */
export function getDetail(service: ScreenService, payload_reference: string): LinkTarget {
  const row = SERVICES[service]
  if (!('detail' in row)) return getList(service, { preview: payload_reference })
  return { to: row.detail, params: { payload_reference } }
}
