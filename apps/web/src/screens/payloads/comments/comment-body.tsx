import { Trans } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import { MarkedText } from '../../../components/marked-text.tsx'
import classes from './comments.module.css'

/** The text of a comment as plain text. */
export const CommentBody = ({ body }: { body: string | null }) =>
  body === null ? (
    <Text c="red" size="sm">
      <Trans>The stored data is damaged and unreadable. A security alert was raised.</Trans>
    </Text>
  ) : (
    <p className={classes.body} dir="auto">
      <MarkedText text={body} />
    </p>
  )
