import { Plural, Trans } from '@lingui/react/macro'
import { onlineManager, useMutationState } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { Icon } from '../ui/icon.tsx'
import classes from './offline-bar.module.css'

const isOnlineNow = (): boolean => onlineManager.isOnline()

/** Says that the server cannot be reached, and how many changes wait for it. */
export function OfflineBar() {
  const isOnline = useSyncExternalStore((listener) => onlineManager.subscribe(listener), isOnlineNow)
  const waiting = useMutationState({ filters: { predicate: ({ state }) => state.isPaused } }).length
  return (
    // Always mounted, so that screen readers announce the text.
    <output className={classes.place}>
      {!isOnline && (
        <span className={classes.bar}>
          <Icon name="warning" size={16} />
          <span>
            <Trans>No connection to the server.</Trans>{' '}
            <span className={classes.more}>
              <Trans>The portal tries again by itself.</Trans>{' '}
            </span>
            {waiting > 0 && (
              <strong>
                <Plural value={waiting} one="# change waits." other="# changes wait." />
              </strong>
            )}
          </span>
        </span>
      )}
    </output>
  )
}
