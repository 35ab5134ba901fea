import type { Mark } from '@custodia/contract'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { IconName } from '../../../ui/icon.tsx'

/** Labels, icons and keys of marks. */
export const MARK_STYLES: Readonly<Record<Mark, { word: MessageDescriptor; icon: IconName; key: string }>> = {
  reviewed: { word: msg({ context: 'mark', message: 'Reviewed' }), icon: 'check', key: 'r' },
  flagged: { word: msg({ context: 'mark', message: 'Flagged' }), icon: 'tag', key: 'f' },
  escalated: { word: msg({ context: 'mark', message: 'Escalated' }), icon: 'warning', key: 'e' },
}
