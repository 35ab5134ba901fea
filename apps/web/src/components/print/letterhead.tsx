import { useLingui } from '@lingui/react/macro'
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useProfile } from '../../api/use-profile.ts'
import { viewerZone } from '../../ui/time-format.ts'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import classes from './print.module.css'

/** First lines of a printed page: the client, the person who prints, when, and the time zone. Paper has the colours of the light mode. */
export function Letterhead() {
  const { t } = useLingui()
  const profile = useProfile()
  const by = authorName(profile, 'user_reference')
  const [at, setAt] = useState(() => Date.now())
  useEffect(() => {
    const { dataset } = document.documentElement
    const mode = () => dataset.mantineColorScheme
    let before = mode()
    const begin = () => {
      before = mode()
      dataset.mantineColorScheme = 'light'
      flushSync(() => setAt(Date.now()))
    }
    const end = () => {
      dataset.mantineColorScheme = before
    }
    addEventListener('beforeprint', begin)
    addEventListener('afterprint', end)
    return () => {
      removeEventListener('beforeprint', begin)
      removeEventListener('afterprint', end)
    }
  }, [])
  return (
    <div data-print-only className={classes.letterhead}>
      <strong>{visible(profile.client_name)}</strong>
      <div>
        {t`Printed from Custodia by ${by}`}, <Time at={Math.floor(at / 1000)} style="second" /> (
        {viewerZone()})
      </div>
    </div>
  )
}
