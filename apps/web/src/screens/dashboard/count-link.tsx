import { useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import classes from './worklist.module.css'

/** A count of the worklist with its link. */
export function CountLink(props: {
  to: LinkTarget
  /** Label. */
  what: string
  /** The count; undefined while unknown. */
  text: string | undefined
  hasFailed: boolean
  look: 'none' | 'some' | 'worry'
}) {
  const { t } = useLingui()
  const number =
    props.text ?? (props.hasFailed ? <abbr title={t`The count failed`}>–</abbr> : <Skeleton w={18} h={16} />)
  return (
    <Link {...props.to} className={classes.count} data-look={props.look}>
      <strong className={classes.number}>{number}</strong>
      <span className={classes.what}>{props.what}</span>
    </Link>
  )
}
