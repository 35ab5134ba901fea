import type { Profile } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { profileQuery } from '../api/queries.ts'
import { endSupportMode } from '../api/support-mode.ts'
import { useProfile } from '../api/use-profile.ts'
import { TimeLeft } from '../components/support-access/support-access.tsx'
import { useTimeLeft } from '../components/support-access/time-left.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './support-bar.module.css'

/** Poll interval after the local expiry, in milliseconds: the server's clock decides. */
const ASK_EVERY_MS = 5_000

/** Support mode bar: client, role, remaining time and exit. */
export default function SupportBar({ support }: { support: NonNullable<Profile['support']> }) {
  const { t } = useLingui()
  const { client_name } = useProfile()
  const queryClient = useQueryClient()
  const ending = useMutation({ mutationFn: endSupportMode })
  const left = useTimeLeft(support.approval_expiry)
  const isOver = left <= 0
  useSupportFavicon()

  useEffect(() => {
    if (!isOver) return
    const ask = () => void queryClient.invalidateQueries(profileQuery)
    ask()
    const timer = setInterval(ask, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [isOver, queryClient])

  return (
    <section className={classes.bar} aria-label={t`Support mode`}>
      <Icon name="lifebuoy" />
      <p className={classes.text}>
        <strong title={client_name}>
          <Trans>Support mode: {client_name}</Trans>
        </strong>
        <span className={classes.facts}>
          <span className={classes.role}>{support.role}</span>{' '}
          <span className={classes.left}>
            <TimeLeft seconds={left} />
          </span>
        </span>
      </p>
      <Button
        size="xs"
        className={classes.end}
        loading={ending.isPending}
        leftSection={<Icon name="sign-out" size={15} />}
        onClick={() => ending.mutate()}
      >
        <span className={classes.word}>
          <Trans>End support mode</Trans>
        </span>
      </Button>
    </section>
  )
}

/** Changes the favicon while mounted, so that support mode tabs stand out. */
function useSupportFavicon(): void {
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (link === null) return
    const usual = link.href
    link.href = '/favicon-support.svg'
    return () => {
      link.href = usual
    }
  }, [])
}
