import { useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import classes from './worklist.module.css'

/** A number of the worklist, and the way to what it counts. */
export function CountLink(props: {
  to: LinkTarget
  /** What is counted. */
  what: string
  /** The number; undefined while it is not known. */
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
