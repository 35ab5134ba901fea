import {
  CALL_TYPES,
  DeviceReference,
  DeviceUserReference,
  GroupReference,
  MESSAGE_TYPES,
  PAYLOAD_DATE_FILTERS,
  PayloadReference,
  PayloadState,
  type PayloadType,
  text,
} from '@custodia/contract'
import * as z from 'zod/mini'
import { DateText, flag, freeText, numberText, one, several } from '../lists/list-search.ts'

/** Search parameters of a payload list that shows `types`. */
const payloadSearch = <T extends PayloadType>(types: readonly T[]) =>
  z.object({
    number: numberText(text(1, 255)),
    date: one(z.enum(PAYLOAD_DATE_FILTERS)),
    from: one(DateText),
    to: one(DateText),
    types: several(z.enum(types)),
    groups: several(GroupReference),
    states: several(PayloadState),
    user: freeText(DeviceUserReference),
    device: freeText(DeviceReference),
    late: flag(),
    view: one(text(1, 60)),
    preview: one(PayloadReference),
  })

/** `/dashboard/services/calls?types=Call,BlockedCall&date=processed_at&from=-7d` */
export const CallsSearch = payloadSearch(CALL_TYPES)
export type CallsSearch = z.output<typeof CallsSearch>

export const MessagesSearch = payloadSearch(MESSAGE_TYPES)
export type MessagesSearch = z.output<typeof MessagesSearch>

/** What all payload lists filter by. */
export type PayloadSearch = z.output<ReturnType<typeof payloadSearch<PayloadType>>>
